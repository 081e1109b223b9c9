import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Contest } from "../row.ts";
import { datasetSides } from "./dataset-sides.ts";

const size = { rows: 1_000_000, hiddenSize: 896, dtype: "bfloat16" } as const;

/** The most memory of a process that writes 10^6 rows and reads their layer, whole as bits (1.67 GiB) and in blocks. */
export async function millionRowsContest(id: string): Promise<Contest> {
  let folder: string | undefined;
  const ours = async (): Promise<number> => {
    const sides = await datasetSides();
    try {
      const to = join(sides.scratch, "million");
      const wrote = await sides.ours({ do: "write", folder: to, size });
      const read = await sides.ours({ do: "read", folder: to });
      const seconds = [wrote, read].map(({ ms }) => (ms / 1000).toFixed(1));
      console.error(`  written in ${seconds[0]} s, read as bits and again in blocks in ${seconds[1]} s`);
      return read.peak / 2 ** 20;
    } finally {
      await sides.close();
    }
  };
  const kept = await datasetSides();
  return {
    id,
    work: "most memory of writing 10^6 rows × 896 bfloat16 and reading the layer as bits, then in blocks",
    peerName: "pyarrow and NumPy, reading the layer only",
    goal: null,
    limit: 3072,
    unit: "MiB",
    async checkEqual() {
      folder = join(kept.scratch, "million");
      await kept.ours({ do: "write", folder, size });
    },
    ours,
    async peer() {
      return (await kept.peer({ do: "read", folder: folder! })).peak / 2 ** 20;
    },
    async close() {
      if (folder) await rm(folder, { recursive: true, force: true });
      await kept.close();
    },
  };
}
