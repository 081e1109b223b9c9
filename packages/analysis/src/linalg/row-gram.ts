import * as tf from "@tensorflow/tfjs";
import { deviceLimits } from "../backend/device-limits.ts";
import { readTensor } from "../backend/read-tensor.ts";

/** Rows of a block: large enough for a product to be fast, small enough that half of the blocks need not be computed. */
const blockRows = 256;
/** Up to so many multiplications this thread is as fast as the device, and float64. */
const smallWork = 1e6;

/**
 * ‖X·Xᵀ‖²: the squared Frobenius norm of the Gram matrix of `values` (`[rows, width]`), which is also that of Xᵀ·X. Products in float32
 * on the active backend, of the upper triangle only, never a width × width matrix when the rows are fewer; summed in float64.
 */
export async function squaredGramNorm(values: Float32Array, width: number): Promise<number> {
  const rows = values.length / width;
  if (rows * width * Math.min(rows, width) <= smallWork) return smallNorm(values, rows, width);
  // The smaller of the two Gram matrices has the same norm.
  const [count, length] = rows <= width ? [rows, width] : [width, rows];
  const whole = tf.tidy(() => {
    const matrix = tf.tensor2d(values, [rows, width]);
    return rows <= width ? matrix : tf.transpose(matrix);
  });
  // Transposed once: tfjs's WASM kernel is an order of magnitude slower on its transposing path.
  const turned = rows <= width ? tf.transpose(whole) : tf.tensor2d(values, [rows, width]);
  try {
    let sum = 0;
    const most = Math.max(
      1,
      Math.min(blockRows, Math.floor(deviceLimits().bytes / 4 / Math.max(count, length))),
    );
    for (let first = 0; first < count; first += most) {
      const own = Math.min(most, count - first);
      const part = await readTensor(() =>
        tf.matMul(
          tf.slice(whole, [first, 0], [own, length]),
          tf.slice(turned, [0, first], [length, count - first]),
        ),
      );
      sum += upperSquares(part, own, count - first);
    }
    return sum;
  } finally {
    tf.dispose([whole, turned]);
  }
}

function smallNorm(values: Float32Array, rows: number, width: number): number {
  const [count, length] = rows <= width ? [rows, width] : [width, rows];
  const at =
    rows <= width ? (i: number, m: number) => i * width + m : (i: number, m: number) => m * width + i;
  let norm = 0;
  for (let i = 0; i < count; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = 0;
      for (let m = 0; m < length; m++) sum += values[at(i, m)]! * values[at(j, m)]!;
      norm += (i === j ? 1 : 2) * sum ** 2;
    }
  }
  return norm;
}

/** Of `[rows, columns]` whose first block is on the diagonal: that block once, all right of it twice. */
function upperSquares(part: Float32Array, rows: number, columns: number): number {
  let sum = 0;
  for (let i = 0; i < rows; i++) {
    let inside = 0;
    let beside = 0;
    const start = i * columns;
    for (let j = 0; j < rows; j++) inside += part[start + j]! ** 2;
    for (let j = rows; j < columns; j++) beside += part[start + j]! ** 2;
    sum += inside + 2 * beside;
  }
  return sum;
}

/** X·Xᵀ of `values` (`[rows, width]`), in float32 on the active backend: `[rows, rows]`. */
export async function rowGram(values: Float32Array, width: number): Promise<Float32Array> {
  const rows = values.length / width;
  const [whole, turned] = tf.tidy(() => {
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
      const beyond = rows - first;
      const part = await readTensor(() =>
        tf.matMul(tf.slice(whole, [first, 0], [own, width]), tf.slice(turned, [0, first], [width, beyond])),
      );
      for (let i = 0; i < own; i++) {
        for (let j = i; j < beyond; j++) {
          const value = part[i * beyond + j]!;
          gram[(first + i) * rows + first + j] = value;
          gram[(first + j) * rows + first + i] = value;
        }
      }
    }
    return gram;
  } finally {
    tf.dispose([whole, turned]);
  }
}
