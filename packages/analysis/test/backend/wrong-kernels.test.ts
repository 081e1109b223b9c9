import * as tf from "@tensorflow/tfjs";
import { beforeAll, describe, expect, test } from "vitest";
import { quickCheck } from "../../src/backend/numeric-suite/quick-check.ts";
import { numericChecks, runNumericSuite } from "../../src/backend/numeric-suite/run-numeric-suite.ts";
import { useBackend } from "../../src/backend/use-backend.ts";

/** Rounds a factor as a GPU's TF32 does: to 10 bits after the first. */
const tf32 = (x: tf.Tensor) => {
  const bits = new Uint32Array(Float32Array.from(x.dataSync()).buffer).map(
    (word) => (word + 0x1000) & 0xffffe000,
  );
  return tf.tensor(new Float32Array(bits.buffer), x.shape);
};

type Inputs = Record<string, tf.Tensor>;
type Compute = (inputs: Inputs, attrs: Record<string, unknown>) => tf.Tensor;

describe("a kernel that answers wrongly is found", () => {
  beforeAll(() => useBackend({ prefer: "cpu" }));

  /** Puts a wrong kernel in the place of a right one for the time of a function. */
  async function withKernel<T>(
    name: string,
    compute: (right: Compute) => Compute,
    use: () => Promise<T>,
  ): Promise<T> {
    const kernel = tf.getKernel(name, "cpu");
    const right: Compute = (inputs, attrs) => {
      const info = kernel.kernelFunc({
        inputs,
        attrs: attrs as never,
        backend: tf.backend(),
      }) as tf.TensorInfo;
      return tf.engine().makeTensorFromDataId(info.dataId, info.shape, info.dtype);
    };
    const wrong = compute(right);
    tf.unregisterKernel(name, "cpu");
    tf.registerKernel({
      ...kernel,
      kernelFunc: ({ inputs, attrs }) => wrong(inputs as Inputs, attrs as Record<string, unknown>),
    });
    try {
      return await use();
    } finally {
      tf.unregisterKernel(name, "cpu");
      tf.registerKernel(kernel);
    }
  }

  test.each<[string, string, (right: Compute) => Compute, string]>([
    [
      "int32 rounded to zeros",
      "Round",
      () =>
        ({ x }) =>
          tf.zerosLike(x!),
      "round of int32",
    ],
    [
      "products in TF32",
      "BatchMatMul",
      (right) =>
        ({ a, b }, attrs) =>
          right({ a: tf32(a!), b: tf32(b!) }, attrs),
      "matmul 33×65 · 65×17",
    ],
    [
      "sums that are zeros",
      "Sum",
      (right) => (inputs, attrs) => tf.zerosLike(right(inputs, attrs)),
      "sum over rows and columns",
    ],
    [
      "sigmoid off by 1e-4",
      "Sigmoid",
      (right) => (inputs, attrs) => tf.add(right(inputs, attrs), 1e-4),
      "sigmoid",
    ],
    [
      "the last of equal values",
      "ArgMax",
      () =>
        ({ x }) =>
          tf.tensor(
            Array.from({ length: x!.shape[0] ?? 1 }, () => 3),
            undefined,
            "int32",
          ),
      "argmax of equal values is the first",
    ],
    [
      "NaN that becomes 0",
      "Reshape",
      (right) =>
        ({ x }, attrs) =>
          right(
            {
              x: tf.tensor(
                x!.dataSync().map((value) => (Number.isNaN(value) ? 0 : value)),
                x!.shape,
              ),
            },
            attrs,
          ),
      "NaN, ±Infinity and -0 go up and come back",
    ],
  ])("%s", async (_, kernel, compute, check) => {
    expect(await withKernel(kernel, compute, quickCheck)).toContain(`${check} gave`);
    expect(await quickCheck()).toBeUndefined();
  });

  test("also by the suite, which goes on after it", async () => {
    const some = numericChecks.filter(({ name }) => /^(cumsum|gather|exp$)/.test(name));
    const results = await withKernel(
      "Cumsum",
      () => () => {
        throw new Error("no such kernel");
      },
      () => runNumericSuite({ checks: some }),
    );
    expect(results.map(({ status }) => status)).toEqual(["fail", "fail", "pass", "pass"]);
    expect(results[0]).toMatchObject({ found: "no such kernel", expected: "an answer" });
  });
});
