import { z } from "zod";
import { checkOptions } from "../../options/check-options.ts";
import { ProbeError } from "../probe-error.ts";
import { linearScorerData } from "../trained/linear-scorer.ts";
import type { ProbeTrainer, TrainedParts, TrainingData } from "../trained/probe-trainer.ts";
import { topVectors } from "./lanczos.ts";
import type { PcaOptions } from "./pca.ts";
import { addScaled, dot } from "../../linalg/vectors.ts";

const optionsSchema = z.strictObject({ seed: z.int().min(0).default(0) });

/**
 * PCA of the differences within pairs, not centred: centring would take out the mean difference, which is the signal (repeng; "RepReading"
 * of Zou et al., 2023). A pair is a group with rows of both classes: the mean of its positive rows less that of its negative ones. For
 * `trainProbe` with a group; other groups take no part. Throws InvalidRequestError.
 */
export function pcaOfDifferences(options: PcaOptions = {}): ProbeTrainer {
  const { seed } = checkOptions(optionsSchema, options, "pcaOfDifferences options");
  return {
    name: "pca-of-differences",
    target: "classes",
    C: null,
    bias: "midpoint",
    formula:
      "w = first eigenvector of Σ δδᵀ, not centred, δ = mean(positive) − mean(negative) of each group with both, raw space, length 1, " +
      "turned so that the positive rows' mean scores higher; bias half-way between the class means",
    train: (data) => trainDifferences(data, seed),
  };
}

async function trainDifferences(data: TrainingData, seed: number): Promise<TrainedParts> {
  const { width, task } = data;
  if (task !== "binary")
    throw new ProbeError("bad_label", "PCA of differences takes two classes: choose rows of two with where.");
  const differences = pairDifferences(data);
  const [found] = await topVectors(
    1,
    width,
    (_, [vector]) => {
      const image = new Float64Array(width);
      for (const own of differences) addScaled(image, dot(own, vector!), own);
      return Promise.resolve([image]);
    },
    seed,
  );
  const { vector, converged, iterations, residualNorm } = found!;
  const mean = new Float64Array(width);
  const middle = new Float64Array(width);
  const counts = [0, 0];
  data.targets.forEach((target) => (counts[target]! += 1));
  data.targets.forEach((target, row) => {
    const own = data.values.subarray(row * width, (row + 1) * width);
    addScaled(mean, (target ? 1 : -1) / counts[target]!, own);
    addScaled(middle, 0.5 / counts[target]!, own);
  });
  const sign = dot(mean, vector) < 0 ? -1 : 1;
  const weights = vector.map((value) => sign * value);
  return {
    scorer: linearScorerData([weights], [-dot(weights, middle)]),
    C: null,
    ...{ converged, iterations, gradientNorm: residualNorm },
  };
}

function pairDifferences({ groupOf, targets, values, width, rows, weights }: TrainingData): Float64Array[] {
  if (weights)
    throw new ProbeError("bad_option", "PCA of differences takes no row weights: every pair counts once.");
  if (groupOf === null) {
    throw new ProbeError(
      "group_required",
      "PCA of differences needs to know which rows are a pair: give the option group (or groups), one value for both rows of a pair.",
    );
  }
  const rowsOf = new Map<number, [number[], number[]]>();
  for (let row = 0; row < rows; row++) {
    const own = rowsOf.get(groupOf[row]!) ?? [[], []];
    own[targets[row] ? 1 : 0].push(row);
    rowsOf.set(groupOf[row]!, own);
  }
  const pairs = [...rowsOf.values()].filter(([low, high]) => low.length > 0 && high.length > 0);
  if (pairs.length === 0) {
    throw new ProbeError(
      "bad_group",
      `None of ${rowsOf.size} groups has rows of both classes: PCA of differences compares the two rows of a pair.`,
      { groups: rowsOf.size },
    );
  }
  return pairs.map(([low, high]) => {
    const difference = new Float64Array(width);
    for (const row of high)
      addScaled(difference, 1 / high.length, values.subarray(row * width, (row + 1) * width));
    for (const row of low)
      addScaled(difference, -1 / low.length, values.subarray(row * width, (row + 1) * width));
    return difference;
  });
}
