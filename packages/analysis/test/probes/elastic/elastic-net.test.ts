import "@tensorflow/tfjs-backend-wasm";
import * as tf from "@tensorflow/tfjs";
import { beforeAll, describe, expect, test } from "vitest";
import { elasticNet } from "../../../src/probes/elastic/elastic-net.ts";
import { fitProbe } from "../../../src/probes/probe-fit.ts";
import { convexCases } from "../convex/convex-fixture.ts";
import { cosine } from "../like-sklearn.ts";

describe.each(["wasm", "cpu"])("on the %s backend", (backend) => {
  beforeAll(async () => {
    await tf.setBackend(backend);
    await tf.ready();
  });

  test.each(convexCases)(
    "$name: equals scikit-learn's saga at every C and ratio",
    async ({ elastic, data, deviation }) => {
      for (const reference of elastic) {
        const [fit] = await fitProbe(elasticNet({ C: reference.C, l1Ratio: reference.ratio }), data);
        expect(Math.abs(fit!.objective! / reference.objective - 1)).toBeLessThan(1e-5);
        const scaled = Array.from(fit!.weights, (weight, j) => weight * deviation[j]!);
        if (reference.coef.some((value) => value !== 0))
          expect(cosine(scaled, reference.coef)).toBeGreaterThan(0.9999);
        const zeros = (weights: ArrayLike<number>) =>
          Array.from(weights).filter((value) => value === 0).length;
        expect(Math.abs(zeros(fit!.weights) - zeros(reference.coef))).toBeLessThanOrEqual(1);
      }
    },
  );
});

const [plain, , separable, scales] = convexCases;

test("P8: separable classes at a huge C converge to finite weights", async () => {
  const [fit] = await fitProbe(elasticNet({ C: 1e5, l1Ratio: 1 }), separable!.data);
  expect(fit!.converged).toBe(true);
  expect([...fit!.weights, fit!.bias].every(Number.isFinite)).toBe(true);
});

test("P8: an infinite C is refused, one class too; l1Ratio is a share above 0", async () => {
  expect(() => elasticNet({ C: Infinity })).toThrow(/finite number above 0/);
  expect(() => elasticNet({ l1Ratio: 0 })).toThrow(/l1Ratio/);
  expect(() => elasticNet({ l1Ratio: 1.5 })).toThrow(/l1Ratio/);
  expect(() => elasticNet(null as never)).toThrow(/elasticNet options/);
  const one = { ...plain!.data, labels: plain!.data.labels.map(() => 0) };
  await expect(fitProbe(elasticNet(), one)).rejects.toMatchObject({ code: "one_class" });
});

test("P8: a constant feature gets no weight, beside features of scale 1e4 and 1e-4", async () => {
  const [fit] = await fitProbe(elasticNet({ C: 10, l1Ratio: 0.1 }), scales!.data);
  expect(fit!.weights[3]).toBe(0);
});

test("a penalty that no feature is worth leaves all weights at exactly 0, and the bias at the classes' log odds", async () => {
  const { data } = plain!;
  const [fit] = await fitProbe(elasticNet({ C: 1e-4, l1Ratio: 1 }), data);
  expect(fit!.weights.every((weight) => weight === 0)).toBe(true);
  const positives = data.labels.slice(0, 100).filter(Boolean).length;
  expect(fit!.bias).toBeCloseTo(Math.log(positives / (100 - positives)), 6);
});
