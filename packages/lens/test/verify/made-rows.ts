import { float32ToBf16 } from "../../src/codec/bfloat16.ts";
import type { Tensor } from "../../src/codec/tensor-codec.ts";
import type { CapturedToken } from "../../src/lens-types.ts";

/** Numbers between −1 and 1 that a seed fixes (mulberry32). */
export function noise(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 31 - 1;
  };
}

/** A row for a token at a position of a layer: no two are alike. */
export function madeRow(layer: number, token: number, position: number, width = 64): number[] {
  const next = noise(layer * 1_000_003 + token * 7919 + position * 31 + 1);
  return Array.from({ length: width }, () => next());
}

/** A bfloat16 tensor of `rows[layer][position]`. */
export function tensorOfRows(rows: readonly (readonly (readonly number[])[])[]): Tensor {
  const [positions = []] = rows;
  const shape = [rows.length, positions.length, positions[0]?.length ?? 0];
  return { dtype: "bfloat16", shape, bits: float32ToBf16(Float32Array.from(rows.flat(2))) };
}

export const tokensOf = (ids: readonly (number | null)[]): CapturedToken[] =>
  ids.map((id) => ({ id, text: null, role: "prompt" }));
