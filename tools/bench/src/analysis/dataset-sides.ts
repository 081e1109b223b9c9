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
  /** In a process that ends with it, so that its memory is no part of what follows. */
  writeApart(task: DatasetTask): Promise<void>;
  peer(task: object): Promise<DatasetAnswer>;
  close(): Promise<void>;
}

/** Which pages of memory the processes ask Linux for: NumPy large ones and Node small ones, or both the same. */
export type Pages = "own" | "large" | "small";

const nodeLarge = { GLIBC_TUNABLES: "glibc.malloc.hugetlb=1" };
const numpySmall = { NUMPY_MADVISE_HUGEPAGE: "0" };

export async function datasetSides({ pages = "own" } = {}): Promise<DatasetSides> {
  program ??= bundlePrograms(["analysis/dataset-process"]).then((built) => built["dataset-process"]!);
  const built = await program;
  const start = () =>
    startChild<unknown, DatasetTask, DatasetAnswer>(
      built,
      [],
      process.execPath,
      pages === "large" ? nodeLarge : {},
    );
  const child = await start();
  const requirements = ["pyarrow==26.0.1", "numpy==2.4.6"];
  const python = startPythonPeer("dataset_path.py", requirements, pages === "small" ? numpySmall : {});
  const scratch = await mkdtemp(join(tmpdir(), "residua-bench-"));
  return {
    scratch,
    ours: async (task) => answered.parse(await child.ask(task)) as DatasetAnswer,
    async writeApart(task) {
      const writer = await start();
      try {
        await writer.ask(task);
      } finally {
        await writer.close();
      }
    },
    peer: async (task) => answered.parse(await python.ask(task)) as DatasetAnswer,
    async close() {
      await child.close();
      await python.close();
      await rm(scratch, { recursive: true, force: true });
    },
  };
}
