import type { TransferMatrix } from "../../../src/results/transfer-matrix.ts";
import { sampleEstimate, undefinedEstimate } from "./sample-estimate.ts";

const datasets = [
  { name: "cities", n: 800, groups: 400 },
  { name: "larger than", n: 396, groups: 99 },
  { name: "negated cities", n: 800, groups: 400 },
  { name: "reviews", n: 240, groups: 60 },
];
const scores = [
  [0.998, 0.87, 0.12, 0.55],
  [0.81, 0.974, 0.31, 0.48],
  [0.09, 0.36, 0.991, null],
  [0.53, 0.51, 0.47, 0.93],
];

/** The finding of Marks and Tegmark's statements: a probe of plain ones is turned round by negation. */
export function sampleTransferMatrix(): TransferMatrix {
  return {
    schemaVersion: 1,
    kind: "transfer-matrix",
    label: "truth",
    layer: 4,
    probe: "logistic",
    score: "auroc",
    folds: 5,
    seed: 0,
    random: "xoshiro128**",
    draws: 1000,
    datasets,
    cells: scores.flatMap((row, train) =>
      row.map((value, test) => ({
        train: datasets[train]!.name,
        test: datasets[test]!.name,
        diagonal: train === test,
        score:
          value === null
            ? undefinedEstimate("one class only")
            : sampleEstimate(value, 0.35 * Math.sqrt(Math.max(0.0004, value * (1 - value) * 0.05)), {
                n: datasets[test]!.n,
                groups: datasets[test]!.groups,
              }),
        C: 0.1,
        trained: datasets[train]!.n,
        leftOut: train + test === 2 && train !== test ? 400 : 0,
      })),
    ),
    notes: [],
  };
}
