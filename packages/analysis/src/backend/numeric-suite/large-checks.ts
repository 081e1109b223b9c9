import * as tf from "@tensorflow/tfjs";
import { deviceMatrix } from "../device-matrix.ts";
import { deviceLimits } from "../device-limits.ts";
import { watchDevice } from "../device-errors.ts";
import { readTensor } from "../read-tensor.ts";
import { compare, worstOf } from "./compare.ts";
import type { NumericCheck } from "./numeric-check.ts";
import { wholes } from "./sample-values.ts";

/** Just over 128 MiB, which is as much as WebGPU promises for one buffer. */
const width = 1024;
const rows = 33 * 1024;
const bytes = 4 * rows * width;
const reference = "whole numbers in JavaScript";

export const largeChecks: readonly NumericCheck[] = [
  {
    name: `product with ${rows}×${width} (132 MiB), split as the device's limits ask`,
    tolerance: "exact",
    reference,
    bytes,
    async run() {
      const values = wholes(rows * width);
      const right = wholes(width * 2, 3);
      const ones = new Float32Array(rows).fill(1);
      const matrix = deviceMatrix(values, width);
      try {
        const products = compare(await matrix.times(right, 2), rowProducts(values, right));
        const sums = compare(await matrix.gather(ones, 1), columnSums(values));
        return worstOf([
          { ...products, of: "rows" },
          { ...sums, of: "sums" },
        ]);
      } finally {
        matrix.dispose();
      }
    },
  },
  {
    name: "a product of 200 000 rows",
    tolerance: "exact",
    reference,
    async run() {
      const values = wholes(200_000 * 4);
      const right = wholes(4 * 3, 3);
      const matrix = deviceMatrix(values, 4);
      try {
        const expected = new Float64Array(200_000 * 3);
        for (let at = 0; at < expected.length; at++)
          for (let k = 0; k < 4; k++)
            expected[at]! += values[Math.floor(at / 3) * 4 + k]! * right[k * 3 + (at % 3)]!;
        return compare(await matrix.times(right, 3), expected);
      } finally {
        matrix.dispose();
      }
    },
  },
  {
    name: "a tensor beyond the device's limits is right, or an error",
    tolerance: "exact, or an error",
    reference,
    bytes,
    async run() {
      const { bytes: limit } = deviceLimits();
      const over = Math.min(Math.ceil((limit + 1) / 4 / width), 70_000);
      const watch = watchDevice();
      try {
        const found = await readTensor(() => tf.sum(tf.fill([over, width], 2), 1), watch);
        return compare(found, new Float32Array(over).fill(2 * width));
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        return { worst: 0, found: "an error", expected: "an error", note: message.slice(0, 200) };
      }
    },
  },
];

function rowProducts(values: Float32Array, right: Float32Array): Float64Array {
  const products = new Float64Array(rows * 2);
  for (let row = 0; row < rows; row++) {
    for (let j = 0; j < width; j++) {
      const value = values[row * width + j]!;
      products[row * 2]! += value * right[j * 2]!;
      products[row * 2 + 1]! += value * right[j * 2 + 1]!;
    }
  }
  return products;
}

function columnSums(values: Float32Array): Float64Array {
  const sums = new Float64Array(width);
  for (let at = 0; at < values.length; at++) sums[at % width]! += values[at]!;
  return sums;
}
