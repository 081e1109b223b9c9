import { join } from "node:path";
import type { Contest } from "../row.ts";
import { datasetSides, type Pages } from "./dataset-sides.ts";

export interface LayerContest {
  dtype: "bfloat16" | "float32";
  backend: "cpu" | "wasm";
  pages?: Pages;
}

/** A layer of 2^28 numbers (1 GiB as float32) from shards of 64 MiB, which the page cache holds, to a tensor. */
export async function layerTensorContest(
  id: string,
  { dtype, backend, pages = "own" }: LayerContest,
): Promise<Contest> {
  const sides = await datasetSides({ pages });
  const folder = join(sides.scratch, "layer");
  const task = { folder, backend } as const;
  let peaks = { ours: 0, peer: 0 };
  const [work, peerName] =
    dtype === "float32"
      ? ["float32 shards to a tensor", "memcpy of the same from memory (NumPy)"]
      : ["bfloat16 shards to a float32 tensor", "pyarrow's mapped view, widened by NumPy"];
  return {
    id,
    work: `${work} on ${backend}, one layer of 1 GiB as float32${pages === "own" ? "" : `, both in ${pages} pages`}`,
    peerName,
    goal: 1 / 1.3,
    async checkEqual() {
      const size = { rows: 2 ** 18, hiddenSize: 1024, dtype };
      await sides.ours({ do: "write", folder, size });
      // In processes of their own: reading a tensor back takes memory that is no part of the work.
      const others = await datasetSides();
      const [ours, peer] = [
        await others.ours({ do: "hash", ...task }),
        await others.peer({ do: "hash", folder }),
      ];
      await others.close();
      if (ours.hash !== peer.hash) throw new Error("the numbers differ from pyarrow's");
      if (dtype === "float32") await sides.peer({ do: "load", what: "layer", folder });
    },
    async ours() {
      const { ms, peak } = await sides.ours({ do: "tensor", ...task });
      peaks = { ...peaks, ours: peak };
      return ms;
    },
    async peer() {
      const { ms, peak } = await sides.peer({ do: dtype === "float32" ? "copy" : "widen", folder });
      peaks = { ...peaks, peer: peak };
      return ms;
    },
    memory: () => Promise.resolve(peaks),
    close: () => sides.close(),
  };
}
