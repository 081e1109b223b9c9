import type { Tensor } from "../codec/tensor-codec.ts";

/** Some layers of `[layers, positions, hiddenSize]`, copied: a tensor of `[at.length, positions, hiddenSize]`. */
export function pickLayers(tensor: Tensor, at: readonly number[]): Tensor {
  const [, positions = 0, hiddenSize = 0] = tensor.shape;
  const size = positions * hiddenSize;
  const shape = [at.length, positions, hiddenSize];
  if (tensor.dtype === "float32")
    return { ...tensor, shape, values: pick(tensor.values, at, size, new Float32Array(at.length * size)) };
  return { ...tensor, shape, bits: pick(tensor.bits, at, size, new Uint16Array(at.length * size)) };
}

function pick<T extends Float32Array | Uint16Array>(
  from: T,
  at: readonly number[],
  size: number,
  into: T,
): T {
  at.forEach((layer, i) => into.set(from.subarray(layer * size, (layer + 1) * size), i * size));
  return into;
}
