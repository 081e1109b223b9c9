import * as tf from "@tensorflow/tfjs";
import { readTensor } from "../read-tensor.ts";
import { compare, worstOf } from "./compare.ts";
import { exact } from "./element-checks.ts";
import type { NumericCheck } from "./numeric-check.ts";
import { gaussians } from "./sample-values.ts";

const reference = "JavaScript's sort and array access";

function topk(length: number, k: number): NumericCheck {
  return {
    name: `topk ${k} of ${length}`,
    tolerance: "exact",
    reference,
    async run() {
      const rows = 3;
      const values = gaussians(rows * length, "topk");
      const found = await readTensor(() => {
        const { values: top, indices } = tf.topk(tf.tensor2d(values, [rows, length]), k);
        return tf.concat([top.flatten(), tf.cast(indices, "float32").flatten()]);
      });
      const orders = Array.from({ length: rows }, (_, row) => {
        const own = values.subarray(row * length, (row + 1) * length);
        return [...own.keys()].sort((a, b) => own[b]! - own[a]!).slice(0, k);
      });
      const tops = orders.flatMap((order, row) => order.map((at) => values[row * length + at]!));
      return worstOf([
        { ...compare(found.subarray(0, rows * k), tops), of: "values" },
        { ...compare(found.subarray(rows * k), orders.flat()), of: "indices" },
      ]);
    },
  };
}

function extreme(name: string, apply: typeof tf.argMax, sign: 1 | -1): NumericCheck {
  return {
    name: `${name} over rows and columns`,
    tolerance: "exact",
    reference,
    async run() {
      const [rows, width] = [211, 1037];
      const values = gaussians(rows * width, "argmax");
      const found = await readTensor<"int32">(() => {
        const x = tf.tensor2d(values, [rows, width]);
        return tf.concat([apply(x, 0), apply(x, 1)]);
      });
      const best = (length: number, at: (i: number) => number) => {
        let first = 0;
        for (let i = 1; i < length; i++) if (sign * at(i) > sign * at(first)) first = i;
        return first;
      };
      const expected = [
        ...Array.from({ length: width }, (_, j) => best(rows, (i) => values[i * width + j]!)),
        ...Array.from({ length: rows }, (_, i) => best(width, (j) => values[i * width + j]!)),
      ];
      return compare(found, expected);
    },
  };
}

export const argMaxTies = exact(
  "argmax of equal values is the first",
  () => tf.argMax(tf.tensor2d([1, 3, 3, 2, 5, 5, 0, 5], [2, 4]), 1),
  [1, 0],
  reference,
);

export const indexChecks: readonly NumericCheck[] = [
  topk(1000, 5),
  topk(50_000, 40),
  exact(
    "topk of equal values takes the first ones",
    () => tf.cast(tf.topk(tf.tensor1d([2, 7, 7, 1, 7]), 3).indices, "float32"),
    [1, 2, 4],
    reference,
  ),
  extreme("argmax", tf.argMax, 1),
  extreme("argmin", tf.argMin, -1),
  argMaxTies,
  {
    name: "gather of rows and columns",
    tolerance: "exact",
    reference,
    async run() {
      const [rows, width] = [300, 70];
      const values = gaussians(rows * width, "gather");
      const picked = Int32Array.from({ length: 55 }, (_, i) => (i * 31) % 70);
      const found = await readTensor(() => {
        const x = tf.tensor2d(values, [rows, width]);
        const indices = tf.tensor1d(picked, "int32");
        return tf.concat([tf.gather(x, indices, 0).flatten(), tf.gather(x, indices, 1).flatten()]);
      });
      const expected = [
        ...[...picked].flatMap((row) => [...values.subarray(row * width, (row + 1) * width)]),
        ...Array.from({ length: rows }, (_, row) =>
          [...picked].map((at) => values[row * width + at]!),
        ).flat(),
      ];
      return compare(found, expected);
    },
  },
  {
    name: "transpose and slice",
    tolerance: "exact",
    reference,
    async run() {
      const [rows, width] = [123, 77];
      const values = gaussians(rows * width, "transpose");
      const found = await readTensor(() =>
        tf.slice(tf.transpose(tf.tensor2d(values, [rows, width])), [5, 10], [60, 100]),
      );
      const expected = Array.from(
        { length: 60 * 100 },
        (_, at) => values[(10 + (at % 100)) * width + 5 + Math.floor(at / 100)]!,
      );
      return compare(found, expected);
    },
  },
];
