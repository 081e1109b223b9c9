/** Which side of a matrix is the residual stream: its rows' index (a projection's output) or its columns' (an embedding). */
export type StreamSide = "rows" | "columns";

/** r̂ = v / ‖v‖ in double precision; null where v is zero. */
export function unitVector(vector: ArrayLike<number>): Float64Array | null {
  const unit = Float64Array.from(vector);
  const length = Math.sqrt(unit.reduce((sum, value) => sum + value * value, 0));
  return length > 0 ? unit.map((value) => value / length) : null;
}

/**
 * Takes from a matrix what it writes along r̂, in place: W ← W − r̂ r̂ᵀ W with the stream on the rows, W ← W − W r̂ r̂ᵀ with it on
 * the columns. Sums in double precision. Source: Arditi et al. 2024, weight orthogonalization.
 */
export function orthogonalise(
  values: Float32Array,
  [rows, columns]: readonly [number, number],
  unit: Float64Array,
  side: StreamSide,
): void {
  const along = alongDirection(values, [rows, columns], unit, side);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const at = row * columns + column;
      const taken = side === "rows" ? unit[row]! * along[column]! : along[row]! * unit[column]!;
      values[at] = values[at]! - taken;
    }
  }
}

/** What a matrix writes along r̂ for each input: r̂ᵀ W `[columns]`, or W r̂ `[rows]`. */
export function alongDirection(
  values: Float32Array,
  [rows, columns]: readonly [number, number],
  unit: Float64Array,
  side: StreamSide,
): Float64Array {
  const along = new Float64Array(side === "rows" ? columns : rows);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const value = values[row * columns + column]!;
      if (side === "rows") along[column]! += unit[row]! * value;
      else along[row]! += unit[column]! * value;
    }
  }
  return along;
}
