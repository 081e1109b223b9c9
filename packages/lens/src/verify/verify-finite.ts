import type { Tensor } from "../codec/tensor-codec.ts";
import { tensorValues } from "../codec/tensor-codec.ts";
import { VerificationError } from "./verification-error.ts";

/** Throws `non_finite` that names the first layer and position with a NaN or infinity. Shape `[layers, positions, hiddenSize]`. */
export function verifyFinite(tensor: Tensor, layers: readonly number[]): void {
  const at = firstNonFinite(tensor);
  if (at < 0) return;
  const [, positions = 1, hiddenSize = 1] = tensor.shape;
  const row = Math.floor(at / hiddenSize);
  const layer = layers[Math.floor(row / positions)];
  const position = row % positions;
  const [value] = tensorValues(tensor, at, at + 1);
  throw new VerificationError(
    "non_finite",
    `layer ${layer}, position ${position}, number ${at % hiddenSize} is ${value}; the capture cannot be used. ` +
      "Known causes: a steering vector or scale that overflows; an earlier request that left NaN in the server's cache (then restart the server)",
    { layer, position, index: at % hiddenSize },
  );
}

function firstNonFinite(tensor: Tensor): number {
  if (tensor.dtype === "float32") return tensor.values.findIndex((value) => !Number.isFinite(value));
  const { bits } = tensor;
  const exponent = tensor.dtype === "bfloat16" ? 0x7f80 : 0x7c00;
  for (let i = 0; i < bits.length; i++) if (((bits[i] ?? 0) & exponent) === exponent) return i;
  return -1;
}
