import * as tf from "@tensorflow/tfjs";
import { beforeAll, expect, test } from "vitest";
import { multinomial } from "../../../src/probes/multinomial/multinomial.ts";
import { trainProbe } from "../../../src/probes/trained/train-probe.ts";
import { convexCases } from "../convex/convex-fixture.ts";
import { cosine } from "../like-sklearn.ts";

beforeAll(async () => {
  await tf.setBackend("cpu");
  await tf.ready();
});

const softmax = (scores: ArrayLike<number>) => {
  const powers = Array.from(scores, (score) => Math.exp(score - Math.max(...Array.from(scores))));
  const sum = powers.reduce((a, b) => a + b, 0);
  return powers.map((power) => power / sum);
};

test.each(convexCases)(
  "$name: equals scikit-learn at every C",
  async ({ three, multinomial: references, data, deviation, count }) => {
    const values = data.values.slice(0, count * data.width);
    for (const { C, objective, coef, probability } of references) {
      const probe = await trainProbe(
        { values, width: data.width, labels: three },
        { probe: multinomial({ C }) },
      );
      expect(probe.classes).toEqual([0, 1, 2]);
      const { scorer } = probe.toJSON();
      if (scorer.kind !== "linear") throw new Error(scorer.kind);
      const scaled = scorer.weights.map((weights) => weights.map((weight, j) => weight * deviation[j]!));
      scaled.forEach((weights, k) => expect(cosine(weights, coef[k]!)).toBeGreaterThan(0.9999));
      const scores = probe.score(values);
      let loss = 0;
      three.forEach((label, row) => {
        const shares = softmax(scores.subarray(row * 3, row * 3 + 3));
        loss -= Math.log(shares[label]!);
        probability[row]?.forEach((share, k) => expect(shares[k]).toBeCloseTo(share, 3));
      });
      const penalty = scaled.flat().reduce((sum, weight) => sum + weight ** 2, 0) / 2;
      expect(Math.abs((C * loss + penalty) / objective - 1)).toBeLessThan(1e-5);
    }
  },
);

test("of two classes the score is one column whose sign is the class", async () => {
  const { data, count } = convexCases[2]!;
  const values = data.values.slice(0, count * data.width);
  const labels = data.labels.slice(0, count);
  const probe = await trainProbe({ values, width: data.width, labels }, { probe: multinomial({ C: 10 }) });
  const scores = probe.score(values);
  expect(scores.length).toBe(count);
  labels.forEach((label, row) => expect(scores[row]! > 0).toBe(label === 1));
});

test("P8: separable classes at a huge C converge; an infinite C is refused", async () => {
  const { data, three, count } = convexCases[1]!;
  const values = data.values.slice(0, count * data.width);
  const probe = await trainProbe(
    { values, width: data.width, labels: three },
    { probe: multinomial({ C: 1e4 }) },
  );
  expect(probe.score(values).every(Number.isFinite)).toBe(true);
  expect(() => multinomial({ C: Infinity })).toThrow(/finite number above 0/);
});
