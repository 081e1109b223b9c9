"""Executes a notebook with its kernel and writes it with its outputs: run_notebook.py IN OUT [SECONDS]."""

import asyncio
import os
import sys

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionComplete, CellExecutionError
from nbclient.util import ensure_async


class PatientClient(NotebookClient):
    """Deno's kernel can say "idle" before it has sent the last outputs of a cell, so keep reading until it is silent."""

    silence = 0.15

    async def _async_poll_output_msg(self, parent_msg_id, cell, cell_index):
        idle = False
        while True:
            wait = self.silence if idle else None
            try:
                msg = await asyncio.wait_for(ensure_async(self.kc.iopub_channel.get_msg(timeout=None)), wait)
            except asyncio.TimeoutError:
                return
            if msg["parent_header"].get("msg_id") != parent_msg_id:
                continue
            try:
                self.process_message(msg, cell, cell_index)
            except CellExecutionComplete:
                idle = True


def main():
    source, target = sys.argv[1], sys.argv[2]
    timeout = int(sys.argv[3]) if len(sys.argv) > 3 else 120
    notebook = nbformat.read(source, as_version=4)
    where = os.path.dirname(os.path.abspath(source))
    client = PatientClient(notebook, timeout=timeout, resources={"metadata": {"path": where}})
    try:
        client.execute()
    except CellExecutionError as error:
        sys.exit(str(error))
    # Times and versions of one machine would make every run a change.
    notebook.metadata.pop("widgets", None)
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
    nbformat.write(notebook, target)


main()
