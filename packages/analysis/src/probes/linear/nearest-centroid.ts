import { differenceOfMeans } from "../difference-of-means.ts";
import { knownProbe } from "../known-probe.ts";
import type { Probe } from "../probe.ts";
import { linearScorerData } from "../trained/linear-scorer.ts";
import type { TrainedParts, TrainingData } from "../trained/probe-trainer.ts";
import { rowSpread, spreadMoments } from "./row-spread.ts";
import { dot } from "../../linalg/vectors.ts";

/**
 * The class whose mean is nearest, as scikit-learn's NearestCentroid. Of two classes that is the difference of means with the threshold
 * half-way; of more, `trainProbe` gives each class the score (x − m̄)·(m − m̄) − ½‖m − m̄‖², which is largest at the nearest mean.
 */
export function nearestCentroid(): Probe {
  const probe: Probe = {
    ...differenceOfMeans(),
    name: "nearest-centroid",
    formula:
      "½‖x − mean(negative)‖² − ½‖x − mean(positive)‖², raw space: w = mean(positive) − mean(negative), threshold half-way",
    train: (data) => Promise.resolve(trainCentroids(data)),
  };
  return knownProbe(probe, { name: "nearest-centroid" });
}

function trainCentroids(data: TrainingData): TrainedParts {
  const classes = data.classes?.length ?? 2;
  const weights = data.weights ?? new Float64Array(data.rows).fill(1);
  const spread = rowSpread(weights, Uint32Array.from(data.targets), classes);
  const means = spreadMoments(spread, data.values, data.width).map(({ mean }) => mean);
  const middle = means[0]!.map((_, j) => means.reduce((sum, mean) => sum + mean[j]!, 0) / classes);
  const binary = data.task === "binary";
  const steps = binary
    ? [means[1]!.map((value, j) => value - means[0]![j]!)]
    : means.map((mean) => mean.map((value, j) => value - middle[j]!));
  const bias = steps.map((step) => -dot(step, middle) - (binary ? 0 : dot(step, step) / 2));
  return { scorer: linearScorerData(steps, bias), C: null, converged: true, iterations: 0, gradientNorm: 0 };
}
