/** Half the distance from 1 to the next float32. */
export const unit = 2 ** -24;

export const productTolerance = "4·√k·2⁻²⁴·Σ|a·b|";

/** The product of `[m, k]` and `[k, n]` in float64, and the error that float32 sums may have in each value. */
export function referenceProduct(
  left: ArrayLike<number>,
  right: ArrayLike<number>,
  [m, k, n]: readonly [number, number, number],
): { expected: Float64Array; allowed: Float64Array } {
  const expected = new Float64Array(m * n);
  const sizes = new Float64Array(m * n);
  for (let i = 0; i < m; i++) {
    for (let l = 0; l < k; l++) {
      const a = left[i * k + l]!;
      for (let j = 0; j < n; j++) {
        const product = a * right[l * n + j]!;
        expected[i * n + j]! += product;
        sizes[i * n + j]! += Math.abs(product);
      }
    }
  }
  return { expected, allowed: sizes.map((size) => 4 * Math.sqrt(k) * unit * size + 1e-30) };
}

/** `[rows, columns]` with rows and columns exchanged. */
export function transposed(values: Float32Array, rows: number, columns: number): Float32Array {
  return Float32Array.from(
    { length: values.length },
    (_, at) => values[(at % rows) * columns + Math.floor(at / rows)]!,
  );
}
