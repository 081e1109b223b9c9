import { join } from "node:path";
import type { Contest } from "../row.ts";
import { datasetSides, type DatasetSides } from "./dataset-sides.ts";

const shards = 1000;
const size = { rows: shards * 64, hiddenSize: 1024, dtype: "float32", shardRows: 64 } as const;

/** Opens a dataset of 1000 shards and reads a column of it, in a process that did nothing before. */
export async function openShardsContest(id: string, what: "ms" | "MiB"): Promise<Contest> {
  const made = await datasetSides();
  const folder = join(made.scratch, "shards");
  const fresh = async (open: (sides: DatasetSides) => Promise<{ ms: number; peak: number }>) => {
    const sides = await datasetSides();
    try {
      const { ms, peak } = await open(sides);
      return what === "ms" ? ms : peak / 2 ** 20;
    } finally {
      await sides.close();
    }
  };
  return {
    id,
    work: `${what === "ms" ? "opening" : "most memory of a process that opens"} a dataset of ${shards} shards and reads one column of each`,
    peerName: "pyarrow, footers and the column",
    goal: null,
    // 200 MB.
    limit: what === "ms" ? 1000 : 190,
    unit: what,
    checkEqual: async () => void (await made.ours({ do: "write", folder, size })),
    ours: () => fresh((sides) => sides.ours({ do: "open", folder })),
    peer: () => fresh((sides) => sides.peer({ do: "open", folder })),
    close: () => made.close(),
  };
}
