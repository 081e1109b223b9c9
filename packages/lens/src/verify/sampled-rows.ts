import { bf16ToFloat32 } from "../codec/bfloat16.ts";
import { float16ToFloat32 } from "../codec/float16.ts";
import type { Tensor } from "../codec/tensor-codec.ts";

/** Of a wide row every k-th number, so that a comparison of all rows costs little. */
const numbersOfRow = 512;
/** Of many layers a spread: what happens to rows happens at each. */
const layersRead = 4;

/** Numbers of every position at some layers of a capture: `values` is `[positions, width]`, `mean` over positions `[width]`. */
export interface SampledRows {
  positions: number;
  width: number;
  layers: { values: Float32Array; mean: Float64Array }[];
}

/** Of the first `layers` layers of a tensor `[layers, positions, hiddenSize]`. */
export function sampleRows(tensor: Tensor, layers = tensor.shape[0] ?? 0): SampledRows {
  const [, positions = 0, hiddenSize = 0] = tensor.shape;
  const step = Math.ceil(hiddenSize / numbersOfRow) || 1;
  const width = Math.ceil(hiddenSize / step);
  const read = spread(layers, layersRead).map((layer) => {
    const places = new Uint32Array(positions * width);
    for (let p = 0; p < positions; p++) {
      for (let i = 0; i < width; i++) places[p * width + i] = (layer * positions + p) * hiddenSize + i * step;
    }
    const values = valuesAt(tensor, places);
    return { values, mean: meanRow(values, width) };
  });
  return { positions, width, layers: read };
}

/** At most `most` of 0 … count − 1, evenly, first and last among them. */
export function spread(count: number, most: number): number[] {
  if (count <= most) return Array.from({ length: count }, (_, i) => i);
  return Array.from({ length: most }, (_, i) => Math.round((i * (count - 1)) / (most - 1)));
}

function meanRow(values: Float32Array, width: number): Float64Array {
  const mean = new Float64Array(width);
  const positions = values.length / width;
  for (let at = 0; at < values.length; at++) {
    const i = at % width;
    mean[i] = (mean[i] ?? 0) + (values[at] ?? 0) / positions;
  }
  return mean;
}

function valuesAt(tensor: Tensor, places: Uint32Array): Float32Array {
  if (tensor.dtype === "float32") return Float32Array.from(places, (at) => tensor.values[at] ?? 0);
  const bits = Uint16Array.from(places, (at) => tensor.bits[at] ?? 0);
  return tensor.dtype === "bfloat16" ? bf16ToFloat32(bits) : float16ToFloat32(bits);
}
