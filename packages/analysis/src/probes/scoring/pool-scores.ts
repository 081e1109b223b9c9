import { checkOptions } from "../../options/check-options.ts";
import { shown } from "../../options/shown.ts";
import { scorePoolSchema, type ScorePool } from "../../results/score-pool.ts";
import { numbersSchema } from "../direction.ts";
import { ProbeError } from "../probe-error.ts";

/** The one score of a sequence's token scores, in their order. Throws ProbeError `no_rows`, `not_finite`, InvalidRequestError for the pool. */
export function poolScores(scores: ArrayLike<number>, pool: ScorePool): number {
  const how = checkOptions(scorePoolSchema, pool, "pool", "pool");
  checkOptions(numbersSchema, scores, "poolScores", "scores");
  if (scores.length === 0)
    throw new ProbeError("no_rows", "There is no token score to pool: the mask or the roles keep none.");
  for (let i = 0; i < scores.length; i++) {
    if (Number.isFinite(scores[i])) continue;
    throw new ProbeError(
      "not_finite",
      `Token score ${i} is ${shown(scores[i])}: only finite scores are pooled.`,
      {
        at: i,
      },
    );
  }
  return pooled(scores, how);
}

function pooled(scores: ArrayLike<number>, pool: ScorePool): number {
  const n = scores.length;
  if (pool === "last") return scores[n - 1]!;
  if (pool === "max") return largest(scores);
  let sum = 0;
  if (pool === "mean") {
    for (let i = 0; i < n; i++) sum += scores[i]!;
    return sum / n;
  }
  if (pool.kind === "softmax") {
    // Less the largest, so that no exponential overflows.
    const top = largest(scores);
    let total = 0;
    for (let i = 0; i < n; i++) {
      const weight = Math.exp((scores[i]! - top) / pool.temperature);
      sum += weight * scores[i]!;
      total += weight;
    }
    return sum / total;
  }
  let average = scores[0]!;
  let most = average;
  for (let i = 1; i < n; i++) {
    average = pool.decay * average + (1 - pool.decay) * scores[i]!;
    most = Math.max(most, average);
  }
  return pool.take === "max" ? most : average;
}

function largest(scores: ArrayLike<number>): number {
  let most = -Infinity;
  for (let i = 0; i < scores.length; i++) most = Math.max(most, scores[i]!);
  return most;
}
