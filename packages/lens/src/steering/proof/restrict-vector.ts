import { rowOf, type SteeringVector } from "../steering-vector.ts";

/** A vector at some of its layers only; none where no layer is left. */
export function atLayers(vector: SteeringVector, keep: (layer: number) => boolean): SteeringVector[] {
  const { layers, rows } = vector;
  const at = [...layers.keys()].filter((i) => keep(layers[i] ?? 0));
  if (at.length === 0) return [];
  const pick = <T>(list: readonly T[]): T[] => list.filter((_, i) => at.includes(i));
  return [{ ...vector, layers: pick(layers), rows: pick(rows) }];
}

/** A vector at the positions before `end` only; none where no position is left. */
export function beforePosition(vector: SteeringVector, end: number): SteeringVector[] {
  const { layers, rows, positions } = vector;
  const kept = positions?.filter((position) => position < end);
  if (kept === undefined || kept.length === positions?.length) return [vector];
  if (kept.length === 0) return [];
  // Ascending, so the kept ones are the first.
  const each = layers.map((_, i) =>
    rows[i]?.length === vector.width
      ? (rows[i] ?? new Float32Array())
      : Float32Array.from(kept.flatMap((_, j) => [...rowOf(vector, i, j)])),
  );
  return [{ ...vector, rows: each, positions: kept }];
}
