import * as tf from "@tensorflow/tfjs";
import "@tensorflow/tfjs-backend-wasm";
import { beforeAll, describe, expect, test } from "vitest";
import { lda } from "../../../src/probes/linear/lda.ts";
import { ridge } from "../../../src/probes/linear/ridge.ts";
import { probeMatrix } from "../../../src/probes/probe-matrix.ts";
import { createRandom } from "../../../src/statistics/random.ts";

beforeAll(async () => {
  await tf.setBackend("wasm");
  await tf.ready();
});

/** Too large for float64 products: common factors, and a massive feature of standard deviation `massive`. */
function layer(rows: number, width: number, massive: number) {
  const random = createRandom(1, "larger layers");
  const factors = Float64Array.from({ length: 8 * width }, () => random.gaussian());
  const values = new Float32Array(rows * width);
  const labels = Uint8Array.from({ length: rows }, (_, row) => row % 2);
  for (let row = 0; row < rows; row++) {
    const loads = Array.from({ length: 8 }, () => random.gaussian());
    for (let j = 0; j < width; j++) {
      const common = loads.reduce((sum, load, k) => sum + load * factors[k * width + j]!, 0);
      values[row * width + j] = random.gaussian() + common + (j === 3 ? labels[row]! : 0);
    }
    values[row * width + 7]! *= massive;
  }
  return { rows, width, values, labels };
}

type Layer = ReturnType<typeof layer>;

/** Rows less their mean in float64, `[rows, width]`. */
function centred({ rows, width, values }: Layer): Float64Array {
  const means = new Float64Array(width);
  values.forEach((value, at) => (means[at % width]! += value / rows));
  return Float64Array.from(values, (value, at) => value - means[at % width]!);
}

/** What w leaves of (XᵀX + λ)·w = Xᵀy, or of its dual form's rows, as a share: in float64. */
function leftOf(one: Layer, weights: Float64Array, lambda: number): number {
  const { rows, width, labels } = one;
  const x = centred(one);
  const mean = labels.reduce((sum, label) => sum + label, 0) / rows;
  const gradient = weights.map((weight) => lambda * weight);
  const right = new Float64Array(width);
  for (let row = 0; row < rows; row++) {
    const target = labels[row]! - mean;
    let missed = -target;
    for (let j = 0; j < width; j++) missed += x[row * width + j]! * weights[j]!;
    for (let j = 0; j < width; j++) {
      gradient[j]! += missed * x[row * width + j]!;
      right[j]! += target * x[row * width + j]!;
    }
  }
  return Math.hypot(...gradient) / Math.hypot(...right);
}

describe.each([
  ["fewer rows than features", 200, 400],
  ["more rows than features", 600, 150],
])("%s", (_, rows, width) => {
  const training = { included: new Uint8Array(rows).fill(1) };

  test.each([1, 1e3])("ridge at many λ solves its equations, with a feature of scale %d", async (massive) => {
    const one = layer(rows, width, massive);
    const lambda = [1e-2, 1, 1e2, 1e4, 1e6];
    const matrix = probeMatrix(one.values, width);
    const fits = await ridge({ lambda }).fit(matrix, [{ training, labels: one.labels }]);
    matrix.dispose();
    fits.forEach(([fit], l) => {
      expect(fit!.converged).toBe(true);
      expect(leftOf(one, fit!.weights, lambda[l]!)).toBeLessThan(1e-3);
    });
  });

  test("LDA is the ridge of its covariance: Σ·w is the difference of the means", async () => {
    const one = layer(rows, width, 1e3);
    const matrix = probeMatrix(one.values, width);
    const shrinkage = 0.2;
    const [fit] = (await lda({ shrinkage }).fit(matrix, [{ training, labels: one.labels }]))[0]!;
    matrix.dispose();
    expect(fit!.converged).toBe(true);
    const means = [new Float64Array(width), new Float64Array(width)];
    one.values.forEach((value, at) => {
      means[one.labels[Math.floor(at / width)]!]![at % width]! += (2 * value) / rows;
    });
    const image = new Float64Array(width);
    let trace = 0;
    for (let row = 0; row < rows; row++) {
      const mean = means[one.labels[row]!]!;
      let score = 0;
      for (let j = 0; j < width; j++) {
        const value = one.values[row * width + j]! - mean[j]!;
        score += value * fit!.weights[j]!;
        trace += value ** 2 / rows;
      }
      for (let j = 0; j < width; j++)
        image[j]! += ((1 - shrinkage) / rows) * score * (one.values[row * width + j]! - mean[j]!);
    }
    const step = means[1]!.map((value, j) => value - means[0]![j]!);
    const left = image.map((value, j) => value + ((shrinkage * trace) / width) * fit!.weights[j]! - step[j]!);
    expect(Math.hypot(...left) / Math.hypot(...step)).toBeLessThan(1e-5);
  });
});
