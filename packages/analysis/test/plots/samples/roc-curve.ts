import type { RocCurve } from "../../../src/results/roc-curve.ts";
import { sampleEstimate, undefinedEstimate } from "./sample-estimate.ts";

/** Recall of two normal clouds, near enough. */
const recallAt = (rate: number): number => Math.min(1, rate ** 0.22);

export function sampleRocCurve(steps = 30): RocCurve {
  const counts = { n: 400, groups: 80 };
  const rates = Array.from({ length: steps + 1 }, (_, index) => (index / steps) ** 2);
  return {
    schemaVersion: 1,
    kind: "roc-curve",
    label: "truth at layer 4, logistic regression, held-out cities",
    points: rates.map((falsePositiveRate, index) => ({
      falsePositiveRate,
      recall: Math.round(1e4 * recallAt(falsePositiveRate)) / 1e4,
      threshold: index === 0 ? null : 3 - (6 * index) / steps,
    })),
    band: Array.from({ length: 21 }, (_, index) => ({
      falsePositiveRate: index / 20,
      recall: sampleEstimate(recallAt(index / 20), 0.12 * (1 - index / 20), counts),
    })),
    auroc: sampleEstimate(0.8197, 0.041, counts),
    marks: [
      [0.01, 0.363],
      [0.05, 0.517],
      [0.1, 0.603],
    ].map(([rate = 0, recall = 0]) => ({
      rate,
      threshold: 2 - rate * 10,
      recall: sampleEstimate(recall, 0.11, counts),
      falsePositiveRate: sampleEstimate(rate, 0.4 * rate, { n: 200, groups: 80 }),
    })),
    positives: 200,
    ...counts,
    draws: 1000,
    seed: 0,
    random: "xoshiro128**",
  };
}

/** One class alone: nothing is defined. */
export function emptyRocCurve(): RocCurve {
  const none = undefinedEstimate("no negative row");
  const { marks, ...rest } = sampleRocCurve(1);
  return {
    ...rest,
    band: [{ falsePositiveRate: 0.5, recall: none }],
    auroc: none,
    marks: marks.map((mark) => ({ ...mark, recall: none, falsePositiveRate: none })),
  };
}
