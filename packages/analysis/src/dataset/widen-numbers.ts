import { float16ToFloat32 } from "@residua/lens";
import { widenBf16 } from "../shards/bf16.ts";
import type { RowDtype, RowNumbers } from "../shards/row-dtype.ts";

/** Stored numbers as float32, exactly, written to `into` from index `at` on. */
export function widenNumbers(numbers: RowNumbers, dtype: RowDtype, into: Float32Array, at = 0): void {
  if (numbers instanceof Float32Array) into.set(numbers, at);
  else if (dtype === "bfloat16") widenBf16(numbers, into, at);
  else float16ToFloat32(numbers, into.subarray(at, at + numbers.length));
}
