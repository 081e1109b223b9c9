import { norm } from "../norm.ts";
import { rowOf, type SteeringVector } from "../steering-vector.ts";

/** One row that a vector adds at a layer. */
export interface Addition {
  vector: SteeringVector;
  /** Which of the request's vectors. */
  index: number;
  row: Float32Array;
  /** null: at every position. */
  position: number | null;
}

/** Every row that vectors add at a layer, in the order of the vectors. */
export function additionsAt(vectors: readonly SteeringVector[], layer: number): Addition[] {
  return vectors.flatMap((vector, index) => {
    const at = vector.layers.indexOf(layer);
    if (at < 0) return [];
    return (vector.positions ?? [null]).map((position, j) => ({
      vector,
      index,
      row: rowOf(vector, at, j),
      position,
    }));
  });
}

/** scale · v, or with normMatch scale · ‖h‖ · v / ‖v‖ for a row h of the stream. */
export function changeBy(
  { vector: { scale, normMatch }, row }: Addition,
  stream: ArrayLike<number>,
): Float64Array {
  const factor = normMatch ? (scale * norm(stream)) / norm(row) : scale;
  return Float64Array.from(row, (value) => factor * value);
}

/**
 * What additions make of a row of the stream, in all. Norms are those of the row before any of them (blocks that return
 * (delta, residual): most models), or with `running` those of the row that the vectors before have changed (OPT-like models).
 */
export function expectedChange(
  additions: readonly Addition[],
  stream: Float32Array,
  norms: "before" | "running" = "before",
): Float64Array {
  const change = new Float64Array(stream.length);
  for (const addition of additions) {
    const base = norms === "before" ? stream : stream.map((value, i) => value + (change[i] ?? 0));
    const part = changeBy(addition, base);
    for (let i = 0; i < change.length; i++) change[i] = (change[i] ?? 0) + (part[i] ?? 0);
  }
  return change;
}
