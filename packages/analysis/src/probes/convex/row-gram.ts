import { startKernels } from "../../linalg/kernel/kernels.ts";

/** Numbers of a row that the kernel is given at once. */
const chunk = 1024;

/** A · Aᵀ (added to `into`) of `rows` rows of `width` numbers, in float64: `[rows, rows]`, symmetric. By WebAssembly on the CPU, whatever the backend. */
export function rowGram(
  values: Float64Array,
  rows: number,
  width: number,
  into: Float64Array = new Float64Array(rows * rows),
): Float64Array {
  const size = Math.ceil(rows / 4) * 4;
  const depth = Math.min(chunk, Math.ceil(width / 2) * 2);
  // Lines a power of two apart would fall into the same places of the cache.
  const line = (Math.ceil(depth / 8) | 1) * 8;
  const kernels = startKernels();
  const out = kernels.take(size * size * 8);
  const at = kernels.take(size * line * 8);
  const lines = kernels.doubles(at, size * line);
  for (let from = 0; from < width; from += depth) {
    const count = Math.min(depth, width - from);
    if (count < depth) lines.fill(0);
    for (let row = 0; row < rows; row++) {
      lines.set(values.subarray(row * width + from, row * width + from + count), row * line);
    }
    kernels.run.gramDouble(at, size, depth, line * 8, out);
  }
  const lower = kernels.doubles(out, size * size);
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
