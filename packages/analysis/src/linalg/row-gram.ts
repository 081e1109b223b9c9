import * as tf from "@tensorflow/tfjs";
import { activeBackend } from "../backend/active-backend.ts";
import { deviceLimits } from "../backend/device-limits.ts";
import { readTensor } from "../backend/read-tensor.ts";
import { kernelGram } from "./kernel-gram.ts";
import { turnRows } from "./turn-rows.ts";

/** Rows of a block on a device: large enough for a product to be fast, small enough that half of the blocks need not be computed. */
const blockRows = 256;

/**
 * X·Xᵀ of `values` (`[rows, width]`), `[rows, rows]`, of which only the lower half is written: float32 products, on the native backend
 * and WebGPU by tfjs, else by WebAssembly on the CPU with float64 sums.
 */
export async function rowGram(values: Float32Array, width: number): Promise<Float32Array | Float64Array> {
  const onDevice = activeBackend() !== "wasm" && activeBackend() !== "cpu";
  return onDevice ? await deviceGram(values, width) : wasmGram(values, values.length / width, width);
}

/**
 * ‖X·Xᵀ‖²: the squared Frobenius norm of the Gram matrix, which is also that of Xᵀ·X. Of the smaller of the two: never a
 * width × width matrix when the rows are fewer.
 */
export async function squaredGramNorm(values: Float32Array, width: number): Promise<number> {
  const rows = values.length / width;
  const size = Math.min(rows, width);
  const gram = await rowGram(rows <= width ? values : turned(values, width), Math.max(rows, width));
  let norm = 0;
  for (let i = 0; i < size; i++) {
    const start = i * size;
    let beside = 0;
    for (let k = 0; k < i; k++) beside += gram[start + k]! ** 2;
    norm += 2 * beside + gram[start + i]! ** 2;
  }
  return norm;
}

function turned(values: Float32Array, width: number): Float32Array {
  const rows = values.length / width;
  const columns = new Float32Array(values.length);
  const [mean, scale] = [new Float64Array(width), new Float64Array(width).fill(1)];
  turnRows(values, { width, first: 0, count: rows, mean, scale }, { turned: columns, line: rows });
  return columns;
}

function wasmGram(values: Float32Array, rows: number, width: number): Float64Array {
  const { lower, size } = kernelGram(values, rows, width);
  if (size === rows) return lower;
  const gram = new Float64Array(rows * rows);
  for (let row = 0; row < rows; row++) gram.set(lower.subarray(row * size, row * size + row + 1), row * rows);
  return gram;
}

async function deviceGram(values: Float32Array, width: number): Promise<Float32Array> {
  const rows = values.length / width;
  const [whole, across] = tf.tidy(() => {
    const matrix = tf.tensor2d(values, [rows, width]);
    return [matrix, tf.transpose(matrix)] as [tf.Tensor2D, tf.Tensor2D];
  });
  try {
    const gram = new Float32Array(rows * rows);
    const most = Math.max(
      1,
      Math.min(blockRows, Math.floor(deviceLimits().bytes / 4 / Math.max(rows, width))),
    );
    for (let first = 0; first < rows; first += most) {
      const own = Math.min(most, rows - first);
      const columns = first + own;
      const part = await readTensor(() =>
        tf.matMul(tf.slice(whole, [first, 0], [own, width]), tf.slice(across, [0, 0], [width, columns])),
      );
      for (let i = 0; i < own; i++)
        gram.set(part.subarray(i * columns, (i + 1) * columns), (first + i) * rows);
    }
    return gram;
  } finally {
    tf.dispose([whole, across]);
  }
}
