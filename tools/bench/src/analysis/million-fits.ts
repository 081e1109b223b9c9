import { join } from "node:path";
import type { Contest } from "../row.ts";
import { datasetSides } from "./dataset-sides.ts";

const size = { rows: 1_000_000, hiddenSize: 896, dtype: "bfloat16", labelled: true } as const;

/** The most memory of a process that fits 5 folds × 8 C of logistic probes on 10^6 rows, read in blocks. */
export async function millionFitsContest(id: string): Promise<Contest> {
  const sides = await datasetSides();
  const folder = join(sides.scratch, "labelled");
  return {
    id,
    work: "most memory of 5 folds × 8 C of logistic fits of 10^6 rows × 896 bfloat16, read in blocks, on wasm",
    peerName: "pyarrow and NumPy, reading the layer only",
    goal: null,
    limit: 3072,
    unit: "MiB",
    checkEqual: () => sides.writeApart({ do: "write", folder, size }),
    async ours() {
      const { ms, peak } = await sides.ours({ do: "fit", folder });
      console.error(`  fitted in ${(ms / 1000).toFixed(0)} s`);
      return peak / 2 ** 20;
    },
    peer: async () => (await sides.peer({ do: "read", folder })).peak / 2 ** 20,
    close: () => sides.close(),
  };
}
