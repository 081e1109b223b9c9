import { widenNumbers } from "./widen-numbers.ts";
import type { RowDtype, RowNumbers } from "../shards/row-dtype.ts";

/** float32 memory that a layer is read into. */
export interface LayerTarget {
  /** `[rows, hiddenSize]`, asked for anew before each write: the memory of WebAssembly moves when it grows. */
  values(): Float32Array;
  /** Whether the memory may move while a read is under way; then nothing is read into it directly. */
  moves: boolean;
}

/** Memory that stays where it is. */
export function fixedTarget(values: Float32Array): LayerTarget {
  return { values: () => values, moves: false };
}

/** Room for a piece of a layer's stored bytes, and what turns them into float32 where they belong. */
export interface Landing {
  bytes: Uint8Array;
  settle(this: void): void;
}

/**
 * Where `length` numbers of a layer, from number `at` on, are best read to: float32 straight to its place; bfloat16 to the upper half
 * of its place, so that it is widened without memory of its own (and half of the pages are first touched by the reading thread);
 * else to `scratch`.
 */
export function landing(
  target: LayerTarget,
  dtype: RowDtype,
  { at, length }: { at: number; length: number },
  scratch: () => RowNumbers<ArrayBuffer>,
): Landing {
  if (target.moves || dtype === "float16") {
    const numbers = scratch().subarray(0, length);
    const bytes = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
    return { bytes, settle: () => widenNumbers(numbers, dtype, target.values(), at) };
  }
  const values = target.values();
  const start = values.byteOffset + 4 * at;
  if (dtype === "float32") {
    return { bytes: new Uint8Array(values.buffer, start, 4 * length), settle: () => undefined };
  }
  const bits = new Uint16Array(values.buffer, start + 2 * length, length);
  const bytes = new Uint8Array(values.buffer, start + 2 * length, 2 * length);
  return { bytes, settle: () => widenNumbers(bits, dtype, values, at) };
}
