import * as tf from "@tensorflow/tfjs";
import "@tensorflow/tfjs-backend-wasm";
import { beforeAll, expect, test } from "vitest";
import { logistic } from "../../../src/probes/logistic/logistic.ts";
import { probeMatrix } from "../../../src/probes/probe-matrix.ts";
import { trainingMoments } from "../../../src/probes/training-moments.ts";
import { createRandom } from "../../../src/statistics/random.ts";

const [rows, width] = [150, 1100];

beforeAll(async () => {
  await tf.setBackend("wasm");
  await tf.ready();
});

test("a layer too wide for a factor converges: the gradient vanishes in float64", async () => {
  const random = createRandom(2, "wide");
  const shared = Float32Array.from({ length: width }, () => random.gaussian());
  const values = new Float32Array(rows * width);
  const labels = Uint8Array.from({ length: rows }, (_, row) => row % 2);
  for (let row = 0; row < rows; row++) {
    const load = 4 * random.gaussian() + labels[row]!;
    for (let j = 0; j < width; j++) values[row * width + j] = load * shared[j]! + random.gaussian();
  }
  const training = { included: Uint8Array.from({ length: rows }, (_, row) => Number(row % 5 > 0)) };
  const matrix = probeMatrix(values, width);
  const path = [0.001, 0.1, 10];
  const fits = await logistic({ C: path, tolerance: 1e-10 }).fit(matrix, [{ training, labels }]);
  matrix.dispose();
  const { inverse } = trainingMoments(values, width, [training])[0]!;
  const mean = Float64Array.from({ length: width }, (_, j) => {
    let sum = 0;
    for (let row = 0; row < rows; row++) sum += training.included[row]! * values[row * width + j]!;
    return sum / 120;
  });
  fits.forEach(([fit], c) => {
    expect(fit!.converged).toBe(true);
    const gradient = fit!.weights.map((weight, j) => weight / inverse[j]!);
    let loss = 0;
    for (let row = 0; row < rows; row++) {
      if (!training.included[row]) continue;
      let score = fit!.bias;
      for (let j = 0; j < width; j++) score += values[row * width + j]! * fit!.weights[j]!;
      const residual = 1 / (1 + Math.exp(-score)) - labels[row]!;
      loss += Math.log1p(Math.exp(labels[row] ? -score : score));
      for (let j = 0; j < width; j++)
        gradient[j]! += path[c]! * residual * (values[row * width + j]! - mean[j]!) * inverse[j]!;
    }
    const weights = fit!.weights.map((weight, j) => weight / inverse[j]!);
    const objective = path[c]! * loss + weights.reduce((sum, weight) => sum + weight ** 2, 0) / 2;
    expect(fit!.objective! / objective - 1).toBeCloseTo(0, 5);
    // ½‖gradient‖² bounds what is left to gain.
    expect(gradient.reduce((sum, value) => sum + value ** 2, 0) / 2).toBeLessThan(1e-5 * objective);
  });
});
