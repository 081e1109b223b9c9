import * as tf from "@tensorflow/tfjs";
import { readTensor } from "../read-tensor.ts";
import { compare, worstOf } from "./compare.ts";
import type { NumericCheck } from "./numeric-check.ts";
import { productTolerance, referenceProduct, transposed } from "./reference-product.ts";
import { gaussians } from "./sample-values.ts";

type Shape = readonly [m: number, k: number, n: number];

/** Odd and even, thin and wide: kernels take different ways for them. */
const shapes: readonly Shape[] = [
  [1, 1, 1],
  [3, 5, 7],
  [16, 16, 16],
  [33, 65, 17],
  [1, 1000, 1],
  [100, 3, 100],
  [7, 4096, 5],
  [40, 3000, 40],
  [129, 257, 255],
  [1, 64, 500],
  [2000, 64, 3],
  [256, 896, 40],
  [512, 512, 512],
];

const reference = "sums of the float32 factors in float64";

function product(shape: Shape, transposeLeft = false, transposeRight = false): NumericCheck {
  const [m, k, n] = shape;
  const turned = [transposeLeft ? "ᵀ" : "", transposeRight ? "ᵀ" : ""] as const;
  return {
    name: `matmul ${m}×${k}${turned[0]} · ${k}×${n}${turned[1]}`,
    tolerance: productTolerance,
    reference,
    async run() {
      const left = gaussians(m * k, "left");
      const right = gaussians(k * n, "right");
      const { expected, allowed } = referenceProduct(left, right, shape);
      const found = await readTensor(() => {
        const a = transposeLeft ? tf.tensor2d(transposed(left, m, k), [k, m]) : tf.tensor2d(left, [m, k]);
        const b = transposeRight ? tf.tensor2d(transposed(right, k, n), [n, k]) : tf.tensor2d(right, [k, n]);
        return tf.matMul(a, b, transposeLeft, transposeRight);
      });
      return compare(found, expected, allowed);
    },
  };
}

/** `batch` products at once; with one right factor for all of them where it is not batched. */
function batched(name: string, batch: number, [m, k, n]: Shape, rightToo: boolean): NumericCheck {
  return {
    name: `matmul ${name} ${batch} × (${m}×${k} · ${k}×${n})`,
    tolerance: productTolerance,
    reference,
    async run() {
      const left = gaussians(batch * m * k, "left");
      const rights = rightToo ? batch : 1;
      const right = gaussians(rights * k * n, "right");
      const found = await readTensor(() =>
        tf.matMul(tf.tensor3d(left, [batch, m, k]), tf.tensor3d(right, [rights, k, n])),
      );
      const parts = Array.from({ length: batch }, (_, b) => {
        const factor = rightToo ? right.subarray(b * k * n, (b + 1) * k * n) : right;
        const whole = referenceProduct(left.subarray(b * m * k, (b + 1) * m * k), factor, [m, k, n]);
        const own = found.subarray(b * m * n, (b + 1) * m * n);
        return { ...compare(own, whole.expected, whole.allowed), of: `product ${b}` };
      });
      return worstOf(parts);
    },
  };
}

/** TF32, bfloat16 and float16 products would round these: a GPU may use them without being asked. */
export const fullPrecision: NumericCheck = {
  name: "matmul keeps all 24 bits of float32",
  tolerance: "exact",
  reference: "the factor itself: the other is the identity",
  async run() {
    const size = 64;
    const values = gaussians(size * size, "left");
    const found = await readTensor(() => tf.matMul(tf.tensor2d(values, [size, size]), tf.eye(size)));
    return compare(found, values);
  },
};

export const quickProduct = product([33, 65, 17]);

export const productChecks: readonly NumericCheck[] = [
  ...shapes.map((shape) => product(shape)),
  product([33, 65, 17], true, false),
  product([33, 65, 17], false, true),
  product([33, 65, 17], true, true),
  product([130, 300, 70], true, false),
  product([130, 300, 70], false, true),
  batched("batched", 5, [33, 65, 17], true),
  batched("batched, one right factor", 4, [20, 64, 9], false),
  fullPrecision,
];
