import type { LabelEfficiency } from "../../../src/results/label-efficiency.ts";
import { sampleEstimate, undefinedEstimate } from "./sample-estimate.ts";

export function sampleLabelEfficiency(groups = [2, 4, 8, 16, 32, 64, 319]): LabelEfficiency {
  return {
    schemaVersion: 1,
    kind: "label-efficiency",
    label: "truth",
    layer: 4,
    probe: "logistic",
    score: "auroc",
    split: "groups of the training folds drawn anew in each repeat",
    folds: 5,
    repeats: 10,
    seed: 0,
    random: "xoshiro128**",
    n: 800,
    groups: 400,
    points: groups.map((count) => ({
      groups: count,
      rows: 2 * count,
      score:
        count < 2
          ? undefinedEstimate("one class only")
          : sampleEstimate(1 - 0.42 / Math.sqrt(count), 0.25 / count, { n: 10 }),
    })),
    notes: [],
  };
}
