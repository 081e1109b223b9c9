import { kernelGram } from "../../linalg/kernel-gram.ts";

/** A · Aᵀ (added to `into`) of `rows` rows of `width` numbers, in float64: `[rows, rows]`, symmetric. By WebAssembly on the CPU, whatever the backend. */
export function rowGram(
  values: Float64Array,
  rows: number,
  width: number,
  into: Float64Array = new Float64Array(rows * rows),
): Float64Array {
  const { lower, size } = kernelGram(values, rows, width);
  for (let i = 0; i < rows; i++) {
    for (let k = 0; k <= i; k++) {
      into[i * rows + k]! += lower[i * size + k]!;
      into[k * rows + i] = into[i * rows + k]!;
    }
  }
  return into;
}

/** `[width, rows]` of `[rows, width]`. */
export function transposed(values: Float64Array, rows: number, width: number): Float64Array {
  const turned = new Float64Array(values.length);
  for (let row = 0; row < rows; row++) {
    for (let j = 0; j < width; j++) turned[j * rows + row] = values[row * width + j]!;
  }
  return turned;
}
