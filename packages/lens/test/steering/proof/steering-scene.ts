import { bf16ToFloat32, float32ToBf16 } from "../../../src/codec/bfloat16.ts";
import type { Capture } from "../../../src/lens-types.ts";
import { additionsAt, expectedChange } from "../../../src/steering/proof/expected-change.ts";
import type { SteeringVector } from "../../../src/steering/steering-vector.ts";

export const width = 64;
export const promptTokens = 4;
export const positions = 6;

/** Repeatable numbers of about one. */
export function numbers(seed: number, length = width): Float32Array {
  return Float32Array.from(
    { length },
    (_, i) => 1.4 * Math.sin(seed * 12.9898 + i * 78.233 + (i % 7) * seed),
  );
}

/** The stream of a layer and position: norm about 160, with one massive number at the first position. */
function stream(layer: number, position: number): Float32Array {
  const row = numbers(layer * 31 + position + 1).map((value) => 20 * value);
  if (position === 0) row[5] = 22_656;
  return row;
}

/** What a server does wrong with the change of a row at a layer; left out: nothing. */
export type Fault = (at: {
  layer: number;
  position: number;
  change: Float64Array;
  stream: Float32Array;
}) => ArrayLike<number>;

/** Rows of layers 1 and 2, rounded to bfloat16, of a server that adds `change` to each row. */
export function capture(
  vectors: readonly SteeringVector[],
  fault: Fault = ({ change }) => change,
): Pick<Capture, "row" | "tokens"> {
  return {
    tokens: Array.from({ length: positions + 1 }, (_, i) => ({
      id: i,
      text: `t${i}`,
      role: i < promptTokens ? "prompt" : "generated",
    })),
    row({ layer, position }) {
      const row = stream(layer, position);
      const here = additionsAt(vectors, layer).filter(
        (one) => one.position === null || one.position === position,
      );
      const change = fault({ layer, position, change: expectedChange(here, row), stream: row });
      return bf16ToFloat32(float32ToBf16(row.map((value, i) => value + (change[i] ?? 0))));
    },
  };
}
