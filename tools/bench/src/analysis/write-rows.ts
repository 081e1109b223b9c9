import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Contest } from "../row.ts";
import { datasetSides } from "./dataset-sides.ts";

const size = { rows: 2 ** 18, hiddenSize: 1024, dtype: "float32" } as const;

/** 1 GiB of rows to 16 files, each synced. Ours: columns from JavaScript values, SHA-256, a manifest, all checked again when opened. */
export async function writeRowsContest(id: string): Promise<Contest> {
  const sides = await datasetSides();
  const [first, target] = [join(sides.scratch, "first"), join(sides.scratch, "rows")];
  let peaks = { ours: 0, peer: 0 };
  return {
    id,
    work: "1 GiB of float32 rows with six columns to 16 synced files: columns encoded, SHA-256, manifest",
    peerName: "pyarrow IPC of columns that are Arrow already, no checksum",
    goal: 1 / 1.3,
    async checkEqual() {
      await sides.ours({ do: "write", folder: first, size });
      await sides.peer({ do: "load", what: "batches", folder: first });
      await sides.peer({ do: "write", folder: target });
      const [ours, peer] = [
        await sides.peer({ do: "hash", folder: first }),
        await sides.peer({ do: "hash", folder: target }),
      ];
      if (ours.hash !== peer.hash) throw new Error("the numbers differ from pyarrow's");
      for (const folder of [first, target]) await rm(folder, { recursive: true });
    },
    async ours() {
      const { ms, peak } = await sides.ours({ do: "write", folder: target, size, held: true });
      await rm(target, { recursive: true });
      peaks = { ...peaks, ours: peak };
      return ms;
    },
    async peer() {
      const { ms, peak } = await sides.peer({ do: "write", folder: target });
      await rm(target, { recursive: true });
      peaks = { ...peaks, peer: peak };
      return ms;
    },
    memory: () => Promise.resolve(peaks),
    close: () => sides.close(),
  };
}
