/** `row · vector / ‖vector‖` of each row of `values` (`[rows, width]`), summed in float64: how far the row lies along the direction. */
export function projectRows(values: Float32Array, vector: Float32Array): Float64Array {
  const width = vector.length;
  const norm = vectorNorm(vector);
  return Float64Array.from({ length: values.length / width }, (_, row) => {
    let sum = 0;
    for (let j = 0; j < width; j++) sum += values[row * width + j]! * vector[j]!;
    return sum / norm;
  });
}

/** Euclidean norm, summed in float64. */
export function vectorNorm(vector: ArrayLike<number>): number {
  let squares = 0;
  for (let j = 0; j < vector.length; j++) squares += vector[j]! ** 2;
  return Math.sqrt(squares);
}
