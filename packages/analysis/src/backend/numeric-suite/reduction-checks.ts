import * as tf from "@tensorflow/tfjs";
import { readTensor } from "../read-tensor.ts";
import { compare } from "./compare.ts";
import type { NumericCheck } from "./numeric-check.ts";
import { unit } from "./reference-product.ts";
import { gaussians, wholes } from "./sample-values.ts";

const [rows, width] = [317, 203];

/** Reduces a matrix over its rows or columns; `reduce` gives the expected value of one of them from its numbers. */
function reduction(
  name: string,
  apply: (x: tf.Tensor2D, axis: number) => tf.Tensor,
  reduce: (values: Float64Array) => number,
  allowed: (values: Float64Array) => number,
  tolerance: string,
): NumericCheck {
  return {
    name,
    tolerance,
    reference: "float64, in two passes",
    async run() {
      const values = gaussians(rows * width, "reduced");
      const found = await readTensor(() => {
        const x = tf.tensor2d(values, [rows, width]);
        return tf.concat([apply(x, 0).flatten(), apply(x, 1).flatten()]);
      });
      const lines = [
        ...Array.from({ length: width }, (_, j) =>
          Float64Array.from({ length: rows }, (_, i) => values[i * width + j]!),
        ),
        ...Array.from({ length: rows }, (_, i) =>
          Float64Array.from(values.subarray(i * width, (i + 1) * width)),
        ),
      ];
      return compare(found, lines.map(reduce), lines.map(allowed));
    },
  };
}

const total = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0);
const mean = (values: Float64Array) => total(values) / values.length;
const variance = (values: Float64Array) => {
  const middle = mean(values);
  return mean(values.map((value) => (value - middle) ** 2));
};
const sizes = (values: Float64Array) => total(values.map(Math.abs));
const sumError = (values: Float64Array) => 4 * Math.sqrt(values.length) * unit * sizes(values);
const logSumExp = (values: Float64Array) => Math.log(total(values.map(Math.exp)));

export const quickSum = reduction(
  "sum over rows and columns",
  (x, axis) => tf.sum(x, axis),
  total,
  sumError,
  "4·√n·2⁻²⁴·Σ|x|",
);

export const reductionChecks: readonly NumericCheck[] = [
  quickSum,
  reduction(
    "mean over rows and columns",
    (x, axis) => tf.mean(x, axis),
    mean,
    (values) => sumError(values) / values.length,
    "4·2⁻²⁴·Σ|x| / √n",
  ),
  reduction(
    "variance over rows and columns",
    (x, axis) => tf.moments(x, axis).variance,
    variance,
    (values) => 16 * Math.sqrt(values.length) * unit * variance(values),
    "16·√n·2⁻²⁴, relative",
  ),
  reduction(
    "max over rows and columns",
    (x, axis) => tf.max(x, axis),
    (values) => Math.max(...values),
    () => 0,
    "exact",
  ),
  reduction(
    "min over rows and columns",
    (x, axis) => tf.min(x, axis),
    (values) => Math.min(...values),
    () => 0,
    "exact",
  ),
  reduction(
    "logSumExp over rows and columns",
    (x, axis) => tf.logSumExp(x, axis),
    logSumExp,
    () => 2e-6 * 8,
    "1.6e-5",
  ),
  {
    name: "sum of int32 above 2²⁴",
    tolerance: "exact",
    reference: "whole numbers in JavaScript",
    known: { webgpu: "it adds int32 as float32: sums above 2²⁴ are rounded" },
    async run() {
      const values = Int32Array.from({ length: 1001 }, (_, i) => 1_000_003 - i);
      const found = await readTensor<"int32">(() => tf.sum(tf.tensor1d(values, "int32")));
      return compare(found, [values.reduce((sum, value) => sum + value, 0)]);
    },
  },
  {
    name: "cumsum of 100 000 whole numbers",
    tolerance: "exact",
    reference: "whole numbers in JavaScript",
    async run() {
      const values = wholes(100_000);
      const found = await readTensor(() => tf.cumsum(tf.tensor1d(values)));
      let sum = 0;
      return compare(
        found,
        Float64Array.from(values, (value) => (sum += value)).map((value) => value + 0),
      );
    },
  },
  {
    name: "cumsum along rows, exclusive and reversed",
    tolerance: "exact",
    reference: "whole numbers in JavaScript",
    async run() {
      const [m, n] = [37, 53];
      const values = wholes(m * n);
      const found = await readTensor(() => tf.cumsum(tf.tensor2d(values, [m, n]), 1, true, true));
      const expected = new Float64Array(m * n);
      for (let i = 0; i < m; i++)
        for (let j = n - 2; j >= 0; j--)
          expected[i * n + j] = expected[i * n + j + 1]! + values[i * n + j + 1]!;
      return compare(found, expected);
    },
  },
];
