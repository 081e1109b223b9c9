import type { Tensor } from "./tensor-codec.ts";
import { TensorError } from "./tensor-error.ts";

/** How the numbers of a wire tensor are read. */
interface Reading {
  dtype: Tensor["dtype"];
  /** Bytes of one number on the wire. */
  width: number;
  /** The wire carries float32, and the tensor was float16: its numbers are rounded to that. */
  rounded?: true;
}
const bfloat16: Reading = { dtype: "bfloat16", width: 2 };
const float16: Reading = { dtype: "float16", width: 2 };
const float32: Reading = { dtype: "float32", width: 4 };
/** By NumPy's name, then by torch's; "" where that is left out. */
const readings = new Map<string, ReadonlyMap<string, Reading>>();
for (const [names, byOriginal] of [
  [["int16", "<i2"], { "torch.bfloat16": bfloat16 }],
  [["float16", "<f2"], { "": float16, "torch.float16": float16 }],
  [
    ["float32", "<f4"],
    { "": float32, "torch.float32": float32, "torch.float16": { dtype: "float16", width: 4, rounded: true } },
  ],
] as const)
  for (const name of names) readings.set(name, new Map(Object.entries(byOriginal)));

/** Throws TensorError `tensor_dtype`. */
export function readDtype(dtype: string, original: string | undefined): Reading {
  const found = readings.get(dtype)?.get(original ?? "");
  if (found) return found;
  const given = `dtype ${JSON.stringify(dtype)} with original_dtype ${JSON.stringify(original)}`;
  throw new TensorError(
    "tensor_dtype",
    `${given} cannot be read as activations; expected int16 of torch.bfloat16, float16 or float32`,
    { dtype, original },
  );
}
