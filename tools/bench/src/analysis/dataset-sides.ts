import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import { bundlePrograms } from "../bundle.ts";
import { startChild } from "../child.ts";
import { startPythonPeer } from "../python-peer.ts";
import type { DatasetAnswer, DatasetTask } from "./dataset-task.ts";

const answered = z.object({ ms: z.number(), peak: z.number(), hash: z.string().optional() });
let program: Promise<string> | undefined;

/** A process of ours, one of pyarrow and NumPy, and a folder for both, which is removed at the end. */
export interface DatasetSides {
  scratch: string;
  ours(task: DatasetTask): Promise<DatasetAnswer>;
  peer(task: object): Promise<DatasetAnswer>;
  close(): Promise<void>;
}

/** Makes glibc ask Linux for large pages, as NumPy does of its own accord. */
const hugePages = { GLIBC_TUNABLES: "glibc.malloc.hugetlb=1" };

/** `huge`: our process has large pages too. */
export async function datasetSides({ huge = false } = {}): Promise<DatasetSides> {
  program ??= bundlePrograms(["analysis/dataset-process"]).then((built) => built["dataset-process"]!);
  const child = await startChild<unknown, DatasetTask, DatasetAnswer>(
    await program,
    [],
    process.execPath,
    huge ? hugePages : {},
  );
  const python = startPythonPeer("dataset_path.py", ["pyarrow==26.0.1", "numpy==2.4.6"]);
  const scratch = await mkdtemp(join(tmpdir(), "residua-bench-"));
  return {
    scratch,
    ours: async (task) => answered.parse(await child.ask(task)) as DatasetAnswer,
    peer: async (task) => answered.parse(await python.ask(task)) as DatasetAnswer,
    async close() {
      await child.close();
      await python.close();
      await rm(scratch, { recursive: true, force: true });
    },
  };
}
