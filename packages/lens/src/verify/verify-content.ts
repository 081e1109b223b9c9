import type { Tensor } from "../codec/tensor-codec.ts";
import type { CaptureCheck } from "../lens-types.ts";
import { VerificationError } from "./verification-error.ts";

interface CapturedRows {
  layers: readonly number[];
  /** `[layers, positions, hiddenSize]`. */
  tensor: Tensor;
  /** The lowest layer that the request changes: a hook may write what it likes there, and a strong vector makes layers alike. */
  changedFrom: number;
}

/**
 * Rows that no model computes, below the layers that the request changes. Throws `zero_rows` where every number of a layer is zero, and
 * `equal_layers` where two layers have the same bits at every position: the block between them would have done nothing.
 */
export function verifyContent({ layers, tensor, changedFrom }: CapturedRows): CaptureCheck[] {
  const [, positions = 0, hiddenSize = 0] = tensor.shape;
  const count = positions * hiddenSize;
  const read = layers.filter((layer) => layer < changedFrom);
  const bits = read.map((_, at) => bitsOf(tensor, at * count, (at + 1) * count));
  const zero = read.filter((_, at) => bits[at]?.every((one) => (one & ~signOf(tensor)) === 0));
  if (zero.length > 0)
    throw new VerificationError(
      "zero_rows",
      `every number of layer ${zero.join(", ")} is zero; no model computes that. Known causes: a buffer that the server never filled; a hook of somebody's that is still on the server`,
      { layers: zero },
    );
  for (const [i, one] of bits.entries()) {
    const j = bits.findIndex((other, at) => at > i && isEqual(one, other));
    if (j < 0) continue;
    throw new VerificationError(
      "equal_layers",
      `layers ${read[i]} and ${read[j]} have the same bits at every position; the server gave one layer twice`,
      { layers: [read[i], read[j]] },
    );
  }
  const status = read.length === 0 ? "unverified" : "pass";
  const detail = read.length === 0 ? "the request changes every layer of the capture" : undefined;
  return [
    { code: "zero_rows", status, detail: detail ?? "no layer is all zeros" },
    { code: "equal_layers", status, detail: detail ?? "no two layers are one" },
  ];
}

type Bits = Uint16Array | Uint32Array;

function bitsOf(tensor: Tensor, start: number, end: number): Bits {
  if (tensor.dtype !== "float32") return tensor.bits.subarray(start, end);
  const { buffer, byteOffset } = tensor.values;
  return new Uint32Array(buffer, byteOffset + 4 * start, end - start);
}

/** The bit of minus zero. */
function signOf({ dtype }: Tensor): number {
  return dtype === "float32" ? 0x8000_0000 : 0x8000;
}

function isEqual(a: Bits, b: Bits): boolean {
  return a.every((one, i) => one === b[i]);
}
