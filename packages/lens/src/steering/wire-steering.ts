import { Buffer } from "node:buffer";
import type { WireSteeringVector, WireTensor } from "@residua/client";
import { float32ToBf16 } from "../codec/bfloat16.ts";
import { compressTensor } from "../codec/compress-tensor.ts";
import { encodeTensor } from "../codec/tensor-codec.ts";
import { norm } from "./norm.ts";
import { rowOf, type SteeringVector } from "./steering-vector.ts";

/** Characters of the base64 of some bytes. */
function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4;
}

/** The wire form: `[layers, hidden]` for every position, `[layers, positions, hidden]` with `position_indices` for some. */
export async function wireSteering(
  vector: SteeringVector,
  /** Characters of base64 from which on it is packed: as bfloat16 where that loses nothing, and in a zstd frame. */
  packFrom = Infinity,
): Promise<WireSteeringVector> {
  const { layers, width, scale, normMatch, positions } = vector;
  const places = positions?.length ?? 1;
  const values = new Float32Array(layers.length * places * width);
  for (let i = 0; i < layers.length; i++) {
    for (let j = 0; j < places; j++)
      values.set(sentRow(rowOf(vector, i, j), normMatch), (i * places + j) * width);
  }
  const shape = positions === null ? [layers.length, width] : [layers.length, places, width];
  const packed = base64Length(values.byteLength) > packFrom;
  return {
    activations: packed ? await packTensor(values, shape, packFrom) : encodeTensor(values, shape),
    layer_indices: [...layers],
    scale,
    norm_match: normMatch,
    ...(positions !== null && { position_indices: [...positions] }),
  };
}

/**
 * With normMatch only the direction of a row counts. Servers add 1e-6 to the norm that they divide by, which halves a row of that
 * norm, and square its numbers as float32: rows of a norm that this would show at are sent with norm 1.
 */
function sentRow(row: Float32Array, normMatch: boolean): Float32Array {
  const length = norm(row);
  if (!normMatch || (length >= 0.1 && length <= 1e6)) return row;
  return row.map((value) => value / length);
}

/** bfloat16 bits where they hold every value exactly; a zstd frame of it where that is still too long, and shorter. */
async function packTensor(
  values: Float32Array,
  shape: readonly number[],
  packFrom: number,
): Promise<WireTensor> {
  const words = new Uint32Array(values.buffer, values.byteOffset, values.length);
  const exact = words.every((word) => (word & 0xffff) === 0);
  const tensor = exact ? bf16Tensor(values, shape) : encodeTensor(values, shape);
  if (tensor.data.length <= packFrom) return tensor;
  const compressed = await compressTensor(tensor);
  return compressed.data.length < tensor.data.length ? compressed : tensor;
}

function bf16Tensor(values: Float32Array, shape: readonly number[]): WireTensor {
  const data = Buffer.from(float32ToBf16(values).buffer).toString("base64");
  return { data, dtype: "int16", original_dtype: "torch.bfloat16", shape: [...shape] };
}
