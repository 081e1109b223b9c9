import type { Tensor } from "../codec/tensor-codec.ts";
import { readValues } from "../codec/tensor-codec.ts";
import { VerificationError } from "./verification-error.ts";

/** Throws `non_finite` that names the first layer and position with a NaN or infinity. Shape `[layers, positions, hiddenSize]`. */
export function verifyFinite(tensor: Tensor, layers: readonly number[]): void {
  const at = firstNonFinite(tensor);
  if (at < 0) return;
  const [, positions = 1, hiddenSize = 1] = tensor.shape;
  const row = Math.floor(at / hiddenSize);
  const layer = layers[Math.floor(row / positions)];
  const position = row % positions;
  const [value] = readValues(tensor, at, at + 1);
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
  if (bits.length === 0) return -1;
  // Two numbers at a time, from where there is a whole word of them: about twice as fast on Node 20.
  const start = (bits.byteOffset / 2) & 1;
  const words = new Int32Array(bits.buffer, bits.byteOffset + 2 * start, (bits.length - start) >> 1);
  const high = exponent << 16;
  let at = 0;
  for (; at < words.length; at++) {
    const word = words[at] ?? 0;
    if ((word & exponent) === exponent || (word & high) === high) break;
  }
  const suspects = [0, start + 2 * at, start + 2 * at + 1];
  return suspects.find((i) => i < bits.length && ((bits[i] ?? 0) & exponent) === exponent) ?? -1;
}
