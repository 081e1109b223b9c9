import { bf16ToFloat32, float16ToFloat32 } from "@residua/lens";
import type { RowDtype, RowNumbers } from "../shards/row-dtype.ts";

/** Stored numbers as float32, exactly, written to `into` from index `at` on. */
export function widenNumbers(numbers: RowNumbers, dtype: RowDtype, into: Float32Array, at = 0): void {
  if (numbers instanceof Float32Array) into.set(numbers, at);
  else
    (dtype === "bfloat16" ? bf16ToFloat32 : float16ToFloat32)(
      numbers,
      into.subarray(at, at + numbers.length),
    );
}
