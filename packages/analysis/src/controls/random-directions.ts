import type { ProbeMatrix } from "../probes/probe-matrix.ts";
import { standardMoments } from "../probes/standard-moments.ts";
import type { Estimate } from "../results/estimate.ts";
import { createRandom } from "../statistics/random.ts";
import type { SweepPlan } from "../sweep/sweep-plan.ts";
import { columnLabels, scoreMetric, type SweepTarget } from "../sweep/sweep-target.ts";
import { drawSummary } from "./draw-summary.ts";

/**
 * What a direction that knows nothing scores: Gaussian directions of the standardised features, each fitted to the training rows by its
 * sign alone (of numbers: by a line), scored as the probes are. Mean over directions with the middle 95 % of them.
 */
export async function randomDirections(
  matrix: ProbeMatrix,
  options: { target: SweepTarget; plan: SweepPlan; count: number; seed: number; layer: number },
): Promise<Estimate> {
  const { target, plan, count, seed, layer } = options;
  if (count === 0) return drawSummary([], "none was asked for");
  const random = createRandom(seed, `random directions ${layer}`);
  const { inverse } = standardMoments(matrix.values, matrix.width);
  const directions = Array.from({ length: count }, () => inverse.map((scale) => scale * random.gaussian()));
  const projections = await matrix.scores(directions);
  const labels = columnLabels(target, target.labels);
  const metric = scoreMetric(target);
  const fit = target.task === "number" ? lineOf : signOf;
  const values = projections.map((projection) => {
    const scores = new Float64Array(projection.length * target.columns);
    labels.forEach((own, c) => {
      const lines = plan.outer.map(({ included }) => fit(projection, own, included));
      for (let row = 0; row < projection.length; row++) {
        const { slope, constant } = lines[plan.foldOf[row]!]!;
        scores[row * target.columns + c] = slope * projection[row]! + constant;
      }
    });
    return metric.prepare({ scores, labels: target.labels, strata: plan.foldOf }).value();
  });
  return drawSummary(values, "no fold holds both classes");
}

interface Line {
  slope: number;
  constant: number;
}

/** The side on which the training rows have more of the class. */
function signOf(scores: Float32Array, labels: Float64Array, included: Uint8Array): Line {
  const { covariance } = momentsOf(scores, labels, included);
  return { slope: covariance >= 0 ? 1 : -1, constant: 0 };
}

/** Least squares on the training rows. */
function lineOf(scores: Float32Array, labels: Float64Array, included: Uint8Array): Line {
  const { covariance, variance, mean, labelMean } = momentsOf(scores, labels, included);
  const slope = variance > 0 ? covariance / variance : 0;
  return { slope, constant: labelMean - slope * mean };
}

function momentsOf(scores: Float32Array, labels: Float64Array, included: Uint8Array) {
  let [n, mean, labelMean] = [0, 0, 0];
  for (let row = 0; row < scores.length; row++) {
    if (!included[row]) continue;
    n++;
    mean += scores[row]!;
    labelMean += labels[row]!;
  }
  mean /= n;
  labelMean /= n;
  let [covariance, variance] = [0, 0];
  for (let row = 0; row < scores.length; row++) {
    if (!included[row]) continue;
    covariance += (scores[row]! - mean) * (labels[row]! - labelMean);
    variance += (scores[row]! - mean) ** 2;
  }
  return { mean, labelMean, covariance, variance };
}
