import { rankScores } from "../statistics/auroc.ts";
import { interval } from "../statistics/interval.ts";
import type { ProbeMatrix } from "../probes/probe-matrix.ts";
import { createRandom } from "../statistics/random.ts";
import type { Estimate } from "../results/estimate.ts";
import { standardMoments } from "../probes/standard-moments.ts";
import type { SweepPlan } from "../sweep/sweep-plan.ts";

/**
 * What a direction that knows nothing scores: Gaussian directions of the standardised features, each given the sign that its
 * training rows prefer, scored as the probes are. Mean over directions with the middle 95 % of them.
 */
export async function randomDirections(
  matrix: ProbeMatrix,
  options: { labels: Uint8Array; plan: SweepPlan; count: number; seed: number; layer: number },
): Promise<Estimate> {
  const { labels, plan, count, seed, layer } = options;
  const random = createRandom(seed, `random directions ${layer}`);
  const { inverse } = standardMoments(matrix.values, matrix.width);
  const directions = Array.from({ length: count }, () => inverse.map((scale) => scale * random.gaussian()));
  const scores = await matrix.scores(directions);
  const values = scores.map((one) => {
    const signs = plan.outer.map(({ included }) => trainingSign(one, labels, included));
    const signed = Float64Array.from(one, (score, row) => score * signs[plan.foldOf[row]!]!);
    return rankScores({ scores: signed, labels, strata: plan.foldOf }).auroc();
  });
  return summary(values, "no fold holds both classes");
}

/** Mean of what is defined with the middle 95 %; the rest is counted. */
export function summary(values: readonly (number | null)[], reason: string): Estimate {
  const defined = values.filter((value) => value !== null);
  const spread = interval(defined);
  const undefinedDraws = values.length - defined.length;
  if (!spread) return { value: null, low: null, high: null, n: 0, undefinedDraws, reason };
  const value = defined.reduce((sum, each) => sum + each, 0) / defined.length;
  return { value, ...spread, n: defined.length, undefinedDraws };
}

function trainingSign(scores: Float32Array, labels: Uint8Array, included: Uint8Array): 1 | -1 {
  const sums = [0, 0];
  const counts = [0, 0];
  scores.forEach((score, row) => {
    if (!included[row]) return;
    sums[labels[row]!]! += score;
    counts[labels[row]!]! += 1;
  });
  return sums[1]! / counts[1]! >= sums[0]! / counts[0]! ? 1 : -1;
}
