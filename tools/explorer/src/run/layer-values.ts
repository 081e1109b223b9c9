import type { RowSource } from "@residua/analysis";
import { bf16ToFloat32, float16ToFloat32 } from "@residua/lens";

/** Consecutive rows of a layer as float32, `[rows, hiddenSize]`. */
export interface ValueBlock {
  /** Index of the first row. */
  readonly first: number;
  readonly values: Float32Array;
}

/** One layer in blocks, widened exactly: a layer larger than memory can be scored too. */
export async function* layerValues(
  source: Pick<RowSource, "layerBlocks" | "dtype">,
  layer: number,
): AsyncIterable<ValueBlock> {
  for await (const { first, numbers } of source.layerBlocks(layer)) {
    if (numbers instanceof Float32Array) yield { first, values: numbers };
    else
      yield {
        first,
        values: source.dtype === "bfloat16" ? bf16ToFloat32(numbers) : float16ToFloat32(numbers),
      };
  }
}
