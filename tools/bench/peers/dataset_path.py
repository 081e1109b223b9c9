"""Datasets with pyarrow and NumPy. One JSON line in, one out: milliseconds, and the most bytes that the process has held.

write: 64 MiB of rows a file, each file synced; no checksums. The columns are Arrow arrays before the clock starts.
copy: the layer is in memory, and copied once (memcpy) to new memory. widen: files are mapped, and bfloat16 bits are widened to
float32 straight from the mapping, by the fastest of NumPy's ways. open: footers of all files, and one column.
read: the layer's bits of all files, in one array.
"""

import hashlib
import json
import os
import pathlib
import sys
import time

import numpy as np
import pyarrow as pa

kept = {}


def files(folder):
    return sorted(pathlib.Path(folder).glob("shard-*.arrow"))


def batches(path, mapped=True):
    source = pa.memory_map(str(path)) if mapped else pa.OSFile(str(path))
    reader = pa.ipc.open_file(source)
    for i in range(reader.num_record_batches):
        yield reader.get_batch(i)


def layer_of(batch):
    return batch.column("layer_0").flatten().to_numpy(zero_copy_only=True)


def widen(folder):
    # Measured: one strided store of the halves was the fastest of NumPy's ways (shifts of astype need a second pass).
    parts = [layer_of(batch) for path in files(folder) for batch in batches(path)]
    halves = np.zeros(2 * sum(map(len, parts)), np.uint16)
    at = 0
    for part in parts:
        halves[2 * at + 1 : 2 * (at + len(part)) : 2] = part
        at += len(part)
    return halves.view(np.float32)


def layer(folder):
    parts = [layer_of(batch) for path in files(folder) for batch in batches(path)]
    return np.concatenate(parts) if parts[0].dtype == np.float32 else widen(folder)


def write(folder):
    path = pathlib.Path(folder)
    path.mkdir()
    for index, batch in enumerate(kept["batches"]):
        with open(path / f"shard-{index:05d}.arrow", "wb") as file:
            with pa.ipc.new_file(file, batch.schema) as writer:
                writer.write_batch(batch)
            file.flush()
            os.fsync(file.fileno())


def peak():
    lines = pathlib.Path("/proc/self/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


def open_all(folder):
    for path in files(folder):
        for batch in batches(path):
            batch.column("truth").to_pylist()


def read(folder):
    paths = files(folder)
    rows = sum(batch.num_rows for path in paths for batch in batches(path))
    whole, at = None, 0
    for path in paths:
        for batch in batches(path, mapped=False):
            part = layer_of(batch)
            whole = np.empty(rows * len(part) // batch.num_rows, part.dtype) if whole is None else whole
            whole[at : at + len(part)] = part
            at += len(part)


for line in sys.stdin:
    message = json.loads(line)
    do, folder = message["do"], message["folder"]
    answer = {}
    if do == "load":
        # For `copy`: the layer. For `write`: all columns, one batch a file.
        if message["what"] == "layer":
            kept["layer"] = layer(folder)
        else:
            kept["batches"] = [
                pa.Table.from_batches(list(batches(path, mapped=False))).combine_chunks().to_batches()[0]
                for path in files(folder)
            ]
    if do == "hash":
        answer["hash"] = hashlib.sha256(layer(folder)).hexdigest()
    began = time.perf_counter()
    if do == "copy":
        np.copyto(np.empty_like(kept["layer"]), kept["layer"])
    elif do == "widen":
        widen(folder)
    elif do == "open":
        open_all(folder)
    elif do == "read":
        read(folder)
    elif do == "write":
        write(folder)
    answer["ms"] = 1000 * (time.perf_counter() - began)
    answer["peak"] = peak()
    print(json.dumps(answer), flush=True)
