import * as tf from "@tensorflow/tfjs";
import { readTensor } from "../read-tensor.ts";
import { compare } from "./compare.ts";
import { exact } from "./element-checks.ts";
import type { NumericCheck } from "./numeric-check.ts";

const ieee = "IEEE 754";
const special = [NaN, Infinity, -Infinity, -0, 0, 1];
const rowsWith = (value: number) => {
  const rows = new Float32Array(4 * 40).fill(1);
  rows[40 + 7] = value;
  return tf.tensor2d(rows, [4, 40]);
};

export const survive = exact(
  "NaN, ±Infinity and -0 go up and come back",
  () => tf.tensor1d(special).reshape([2, 3]),
  special,
  "the values themselves",
);

export const nonFiniteChecks: readonly NumericCheck[] = [
  survive,
  exact(
    "addition to NaN and Infinity",
    () => tf.add(tf.tensor1d([NaN, Infinity, -Infinity, 1]), tf.scalar(1)),
    [NaN, Infinity, -Infinity, 2],
    ieee,
  ),
  exact(
    "Infinity - Infinity and 0 · Infinity are NaN",
    () =>
      tf.concat([
        tf.sub(tf.tensor1d([Infinity]), tf.tensor1d([Infinity])),
        tf.mul(tf.tensor1d([0]), tf.tensor1d([Infinity])),
      ]),
    [NaN, NaN],
    ieee,
  ),
  exact(
    "isNaN and isFinite",
    () =>
      tf.concat([
        tf.cast(tf.isNaN(tf.tensor1d(special)), "float32"),
        tf.cast(tf.isFinite(tf.tensor1d(special)), "float32"),
      ]),
    [1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1],
    ieee,
  ),
  exact("a sum with a NaN is NaN, and no other is", () => tf.sum(rowsWith(NaN), 1), [40, NaN, 40, 40], ieee),
  exact(
    "a sum with an Infinity is Infinity",
    () => tf.sum(rowsWith(Infinity), 1),
    [40, Infinity, 40, 40],
    ieee,
  ),
  exact(
    "a product with a NaN is NaN in its row only",
    () => tf.matMul(rowsWith(NaN), tf.ones([40, 2])),
    [40, 40, NaN, NaN, 40, 40, 40, 40],
    ieee,
  ),
  exact(
    "overflow is Infinity",
    () =>
      tf.concat([
        tf.mul(tf.tensor1d([3e38, -3e38]), tf.scalar(10)),
        tf.exp(tf.tensor1d([100])),
        tf.sum(tf.tensor1d([3e38, 3e38])).reshape([1]),
      ]),
    [Infinity, -Infinity, Infinity, Infinity],
    ieee,
  ),
  exact(
    "exp(-200) is 0 and sigmoid(±100) ends at 0 and 1",
    () => tf.concat([tf.exp(tf.tensor1d([-200])), tf.sigmoid(tf.tensor1d([100]))]),
    [0, 1],
    ieee,
  ),
  {
    name: "subnormal numbers",
    tolerance: "exact, or 0: devices may flush them",
    reference: ieee,
    async run() {
      const values = Float32Array.from([1e-39, -1e-42, 2 ** -149]);
      const found = await readTensor(() => tf.mul(tf.tensor1d(values), tf.scalar(1)));
      const flushed = found.every((value) => value === 0);
      if (!flushed) return compare(found, values);
      return { worst: 0, found: 0, expected: 0, note: "flushes subnormal numbers to 0" };
    },
  },
];
