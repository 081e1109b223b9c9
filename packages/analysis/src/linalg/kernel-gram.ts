import { startKernels } from "./kernel/kernels.ts";

/** Numbers of a row that the kernel is given at once. */
const chunk = 1024;
/** Bytes of a line of the cache. */
const cacheLine = 64;

/** The lower half of A · Aᵀ, `[size, size]` of which the first `rows` lines and columns count. */
export interface KernelGram {
  readonly lower: Float64Array;
  readonly size: number;
}

/** A · Aᵀ of `rows` rows of `width` numbers: float32 or float64 products, float64 sums over blocks of 256. By WebAssembly on the CPU. */
export function kernelGram(values: Float32Array | Float64Array, rows: number, width: number): KernelGram {
  const bytes = values.BYTES_PER_ELEMENT;
  const size = Math.ceil(rows / 16) * 16;
  const depth = Math.min(chunk, Math.ceil(width / 4) * 4);
  // Lines a power of two apart would fall into the same places of the cache.
  const line = (Math.ceil((depth * bytes) / cacheLine) | 1) * (cacheLine / bytes);
  const kernels = startKernels();
  const out = kernels.take(size * size * 8);
  const at = kernels.take(size * line * bytes);
  const single = values instanceof Float32Array;
  const lines = single ? kernels.floats(at, size * line) : kernels.doubles(at, size * line);
  for (let from = 0; from < width; from += depth) {
    const count = Math.min(depth, width - from);
    if (count < depth) lines.fill(0);
    for (let row = 0; row < rows; row++) {
      lines.set(values.subarray(row * width + from, row * width + from + count), row * line);
    }
    if (single) kernels.run.gramSingle(at, size, depth, line * bytes, out);
    else kernels.run.gramDouble(at, size, depth, line * bytes, out);
  }
  return { lower: kernels.doubles(out, size * size), size };
}
