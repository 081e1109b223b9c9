import "@tensorflow/tfjs-backend-wasm";
import * as tf from "@tensorflow/tfjs";
import { beforeAll, describe, expect, test } from "vitest";
import { elasticNet } from "../../../src/probes/elastic/elastic-net.ts";
import { recipeOf } from "../../../src/probes/known-probe.ts";
import { probeFromRecipe } from "../../../src/probes/probe-from-recipe.ts";
import { fitProbe, scoreRows } from "../../../src/probes/probe-fit.ts";
import { linearSvm } from "../../../src/probes/svm/linear-svm.ts";
import { convexCases } from "../convex/convex-fixture.ts";
import { cosine } from "../like-sklearn.ts";

describe.each(["wasm", "cpu"])("on the %s backend", (backend) => {
  beforeAll(async () => {
    await tf.setBackend(backend);
    await tf.ready();
  });

  test.each(convexCases)(
    "$name: equals the converged reference at every C",
    async ({ svm, data, deviation }) => {
      const fits = await fitProbe(linearSvm({ C: svm.map(({ C }) => C) }), data);
      fits.forEach((fit, i) => {
        const reference = svm[i]!;
        expect(Math.abs(fit.objective! / reference.objective - 1)).toBeLessThan(1e-5);
        const scaled = Array.from(fit.weights, (weight, j) => weight * deviation[j]!);
        expect(cosine(scaled, reference.coef)).toBeGreaterThan(0.9999);
        scoreRows(fit, data.values).forEach((score, row) => expect(fit.scores[row]).toBeCloseTo(score, 2));
      });
    },
  );
});

const [plain, wide, separable, scales] = convexCases;

test("P8: separable classes at a huge C end on the widest margin, from a cold start", async () => {
  const [tight] = await fitProbe(linearSvm({ C: 1e4 }), separable!.data);
  const [wider] = await fitProbe(linearSvm({ C: 1e7 }), separable!.data);
  expect(wider!.converged).toBe(true);
  expect(Math.abs(wider!.objective! / tight!.objective! - 1)).toBeLessThan(1e-2);
  separable!.data.train.forEach((trained, row) => {
    if (trained) expect(wider!.scores[row]! * (separable!.data.labels[row] ? 1 : -1)).toBeGreaterThan(0.999);
  });
});

test("P8: fewer rows than features: a C that is as good as infinite converges from a cold start", async () => {
  const [fit] = await fitProbe(linearSvm({ C: 1e9 }), wide!.data);
  expect(fit!.converged).toBe(true);
});

test("P8: an infinite C is refused, one class too", async () => {
  expect(() => linearSvm({ C: Infinity })).toThrow(/C.*Infinity.*a finite number above 0/s);
  expect(() => linearSvm({ C: [1, 0] })).toThrow(/C\[1\]: 0; allowed: a number above 0/);
  expect(() => linearSvm({ c: 1 } as never)).toThrow(/the field c/);
  const one = { ...plain!.data, labels: plain!.data.labels.map(() => 1) };
  await expect(fitProbe(linearSvm(), one)).rejects.toMatchObject({ code: "one_class" });
});

test("P8: a constant feature gets no weight, beside features of scale 1e4 and 1e-4", async () => {
  const [fit] = await fitProbe(linearSvm({ C: 10 }), scales!.data);
  expect(fit!.weights[3]).toBe(0);
  expect([...fit!.weights, fit!.bias, ...fit!.scores].every(Number.isFinite)).toBe(true);
});

test("repeats are equal bit for bit", async () => {
  const [one] = await fitProbe(linearSvm({ C: 100 }), plain!.data);
  const [other] = await fitProbe(linearSvm({ C: 100 }), plain!.data);
  expect(one!.weights).toEqual(other!.weights);
});

test("a sweep's worker makes the same probe of its recipe", () => {
  for (const probe of [linearSvm({ C: [1, 10] }), elasticNet({ C: 2, l1Ratio: 0.25 })]) {
    const again = probeFromRecipe(structuredClone(recipeOf(probe)!));
    expect(again).toMatchObject({ name: probe.name, C: probe.C, formula: probe.formula, bias: "fitted" });
  }
});
