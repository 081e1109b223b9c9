import { ResiduaError } from "@residua/lens";
import * as tf from "@tensorflow/tfjs";
import { watchDevice } from "./device-errors.ts";
import { deviceLimits, type DeviceLimits } from "./device-limits.ts";
import { readTensor } from "./read-tensor.ts";

/** A matrix on the active backend, `[rows, width]`, in as few blocks of rows as the device's limits allow. */
export interface DeviceMatrix {
  readonly rows: number;
  readonly width: number;
  readonly blocks: number;
  /** Matrix · right: `right` is `[width, columns]`, the answer `[rows, columns]`. */
  times(right: Float32Array, columns: number): Promise<Float32Array>;
  /** left · Matrix: `left` is `[count, rows]`, the answer `[count, width]`; blocks are added in float64. */
  gather(left: Float32Array, count: number): Promise<Float32Array>;
  /** Matrixᵀ · Matrix, `[width, width]`; blocks are added in float64. */
  gram(): Promise<Float32Array>;
  dispose(): void;
}

/**
 * Puts `values` (`[rows, width]`) on the active backend. A product larger than the device's limits is computed in parts: WebGPU
 * would answer zeros. Throws ResiduaError `backend_error` when the device reports an error all the same.
 */
export function deviceMatrix(
  values: Float32Array,
  width: number,
  limits: DeviceLimits = deviceLimits(),
): DeviceMatrix {
  const rows = values.length / width;
  const most = Math.floor(limits.bytes / 4);
  if (most < width) {
    const message = `A row of ${width} numbers is more than the device holds in a buffer (${limits.bytes} bytes).`;
    throw new ResiduaError("backend_error", message, { width, bytes: limits.bytes });
  }
  const blockRows = Math.max(1, Math.min(rows, limits.rows, Math.floor(most / width)));
  const watch = watchDevice();
  const read = (build: () => tf.Tensor) => readTensor(build, watch);
  const firsts = Array.from({ length: Math.ceil(rows / blockRows) }, (_, block) => block * blockRows);
  const blocks = firsts.map((first) => {
    const last = Math.min(rows, first + blockRows);
    const part = values.subarray(first * width, last * width);
    return { first, rows: last - first, tensor: tf.tensor2d(part, [last - first, width]) };
  });
  /** How many columns of a second factor may be computed at once. */
  const columnsAtOnce = Math.max(1, Math.floor(most / Math.max(width, blockRows)));
  return {
    rows,
    width,
    blocks: blocks.length,
    async times(right, columns) {
      if (blocks.length === 1 && columns <= columnsAtOnce) {
        return await read(() => tf.matMul(blocks[0]!.tensor, tf.tensor2d(right, [width, columns])));
      }
      const product = new Float32Array(rows * columns);
      for (const [from, count] of spans(columns, columnsAtOnce)) {
        const factor = columnsOf(right, { width: columns, from, count });
        for (const block of blocks) {
          const part = await read(() => tf.matMul(block.tensor, tf.tensor2d(factor, [width, count])));
          for (let row = 0; row < block.rows; row++) {
            const own = part.subarray(row * count, (row + 1) * count);
            product.set(own, (block.first + row) * columns + from);
          }
        }
      }
      return product;
    },
    async gather(left, count) {
      if (blocks.length === 1 && count <= columnsAtOnce) {
        return await read(() => tf.matMul(tf.tensor2d(left, [count, rows]), blocks[0]!.tensor));
      }
      const sums = new Float64Array(count * width);
      for (const [from, lines] of spans(count, columnsAtOnce)) {
        const own = left.subarray(from * rows, (from + lines) * rows);
        for (const block of blocks) {
          const factor = columnsOf(own, { width: rows, from: block.first, count: block.rows });
          const part = await read(() => tf.matMul(tf.tensor2d(factor, [lines, block.rows]), block.tensor));
          add(sums.subarray(from * width), part);
        }
      }
      return Float32Array.from(sums);
    },
    async gram() {
      // Transposed first: the WASM kernel is an order of magnitude slower on its transposing path.
      const whole = ({ tensor }: { tensor: tf.Tensor2D }) => tf.matMul(tf.transpose(tensor), tensor);
      if (blocks.length === 1 && width <= columnsAtOnce) return await read(() => whole(blocks[0]!));
      const sums = new Float64Array(width * width);
      for (const [from, count] of spans(width, columnsAtOnce)) {
        for (const { tensor, rows: own } of blocks) {
          // Rows of the answer, which is symmetric.
          const part = await read(() =>
            tf.matMul(tf.transpose(tf.slice(tensor, [0, from], [own, count])), tensor),
          );
          add(sums.subarray(from * width), part);
        }
      }
      return Float32Array.from(sums);
    },
    dispose: () => tf.dispose(blocks.map(({ tensor }) => tensor)),
  };
}

/** `[from, count]` of consecutive parts of at most `most`. */
function spans(total: number, most: number): [number, number][] {
  return Array.from({ length: Math.ceil(total / most) }, (_, part) => [
    part * most,
    Math.min(most, total - part * most),
  ]);
}

/** Columns `from` … `from + count - 1` of a matrix, packed. */
function columnsOf(
  values: Float32Array,
  { width, from, count }: { width: number; from: number; count: number },
): Float32Array {
  if (from === 0 && count === width) return values;
  const lines = values.length / width;
  const packed = new Float32Array(lines * count);
  for (let line = 0; line < lines; line++) {
    packed.set(values.subarray(line * width + from, line * width + from + count), line * count);
  }
  return packed;
}

function add(sums: Float64Array, part: Float32Array): void {
  for (let at = 0; at < part.length; at++) sums[at]! += part[at]!;
}
