import * as tf from "@tensorflow/tfjs";
import { readTensor } from "../read-tensor.ts";
import { compare } from "./compare.ts";
import type { NumericCheck } from "./numeric-check.ts";
import { gaussians } from "./sample-values.ts";

/** One function of each value against JavaScript's own in float64. */
function elementwise(
  name: string,
  apply: (x: tf.Tensor) => tf.Tensor,
  expected: (value: number) => number,
  relative: number,
): NumericCheck {
  return {
    name,
    tolerance: `${relative} relative, ${relative} below 1`,
    reference: "JavaScript's Math in float64",
    async run() {
      const values = gaussians(1003, "element").map((value) => 3 * value);
      const right = Float64Array.from(values, expected);
      const found = await readTensor(() => apply(tf.tensor1d(values)));
      return compare(
        found,
        right,
        right.map((value) => relative * Math.max(Math.abs(value), 1)),
      );
    },
  };
}

/** Exact answers of a few given values. */
export function exact(
  name: string,
  build: () => tf.Tensor,
  expected: ArrayLike<number>,
  reference = "whole numbers in JavaScript",
): NumericCheck {
  return {
    name,
    tolerance: "exact",
    reference,
    run: async () => compare(await readTensor(build), expected),
  };
}

const sigmoid = (value: number) => 1 / (1 + Math.exp(-value));
const thousands = Int32Array.from({ length: 48 }, (_, i) => i * 1000 - 7);

/** libtensorflow from 2.18 on rounds int32 to zeros. */
export const roundInt32 = exact("round of int32", () => tf.round(tf.tensor1d(thousands, "int32")), thousands);
export const quickSigmoid = elementwise("sigmoid", (x) => tf.sigmoid(x), sigmoid, 2e-6);

export const elementChecks: readonly NumericCheck[] = [
  quickSigmoid,
  elementwise("exp", (x) => tf.exp(x), Math.exp, 5e-6),
  elementwise(
    "log1p of |x|",
    (x) => tf.log1p(tf.abs(x)),
    (value) => Math.log1p(Math.abs(value)),
    2e-6,
  ),
  elementwise("tanh", (x) => tf.tanh(x), Math.tanh, 5e-6),
  elementwise(
    "softplus",
    (x) => tf.softplus(x),
    (value) => Math.log1p(Math.exp(value)),
    5e-6,
  ),
  elementwise(
    "sqrt of |x|",
    (x) => tf.sqrt(tf.abs(x)),
    (value) => Math.sqrt(Math.abs(value)),
    5e-7,
  ),
  elementwise(
    "division",
    (x) => tf.div(x, tf.scalar(3)),
    (value) => value / 3,
    5e-7,
  ),
  roundInt32,
  exact(
    "round of float32: halves to even",
    () => tf.round(tf.tensor1d([-2.5, -1.5, -0.7, 0.5, 1.5, 2.5, 1e7 + 1])),
    [-2, -2, -1, 0, 2, 2, 1e7 + 1],
    "IEEE 754",
  ),
  exact(
    "float32 to int32 cuts off",
    () => tf.cast(tf.tensor1d([-1.7, -0.2, 0, 0.9, 2.5, 16777216]), "int32"),
    [-1, 0, 0, 0, 2, 16777216],
  ),
  exact(
    "int32 to float32",
    () => tf.cast(tf.tensor1d([-7, 0, 16777216, 2147483520], "int32"), "float32"),
    [-7, 0, 16777216, 2147483520],
  ),
  {
    ...exact("float32 to bool", () => tf.cast(tf.tensor1d([-1, 0, 0.5]), "bool"), [1, 0, 1]),
    known: {
      wasm: "it cuts the number off to a byte: -1 becomes 255 and 0.5 false (tf.notEqual(x, 0) is right)",
    },
  },
  exact("bool to float32", () => tf.cast(tf.tensor1d([true, false], "bool"), "float32"), [1, 0]),
];
