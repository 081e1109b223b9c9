/** Each row divided by its root mean square and multiplied by the weight. */
export function rmsNorm(rows: Float32Array, weight: Float32Array, epsilon: number): Float32Array {
  const width = weight.length;
  const normed = new Float32Array(rows.length);
  for (let at = 0; at < rows.length; at += width) {
    let squares = 0;
    for (let i = 0; i < width; i++) squares += rows[at + i]! * rows[at + i]!;
    const factor = 1 / Math.sqrt(squares / width + epsilon);
    for (let i = 0; i < width; i++) normed[at + i] = rows[at + i]! * factor * weight[i]!;
  }
  return normed;
}
