import { z } from "zod";
import { checkOptions } from "../../options/check-options.ts";
import { scorePoolSchema, type ScorePool } from "../../results/score-pool.ts";
import type { StoredThreshold } from "../../results/trained-probe.ts";
import { numbersSchema } from "../direction.ts";
import { ProbeError } from "../probe-error.ts";

export interface ThresholdOptions {
  /** The share of control rows that may be flagged, above 0 and below 1. */
  rate: number;
  /** How the control scores were pooled; left out, they are of single rows. */
  pool?: ScorePool;
}

const optionsSchema = z.strictObject({ rate: z.number().gt(0).lt(1), pool: scorePoolSchema.optional() });

/**
 * The lowest threshold that flags at most the share `rate` of `controlScores`: rows that should not be flagged, and took no part in
 * training. A score above it is flagged; scores equal to it are not, so ties only make it stricter. Throws ProbeError
 * `rate_unresolved` when so few scores cannot show the rate, `not_finite`, InvalidRequestError.
 */
export function thresholdAtFalsePositiveRate(
  controlScores: ArrayLike<number>,
  options: ThresholdOptions,
): StoredThreshold {
  const { rate, pool = null } = checkOptions(optionsSchema, options, "threshold options");
  checkOptions(numbersSchema, controlScores, "threshold control scores", "controlScores");
  const n = controlScores.length;
  const sorted = Float64Array.from(controlScores, (score, at) => {
    if (typeof score === "number" && Number.isFinite(score)) return score;
    throw new ProbeError("not_finite", `Control score ${at} is ${score}: a threshold needs finite scores.`, {
      at,
    });
  }).sort();
  // What float64 makes of 0.07 · 100 must still be 7; all n would be a rate of 1.
  const allowed = Math.min(Math.floor(rate * n + 1e-9), n - 1);
  if (allowed < 1) {
    throw new ProbeError(
      "rate_unresolved",
      `${n} control scores cannot show a false-positive rate of ${rate}: that takes at least ${Math.max(2, Math.ceil(1 / rate - 1e-9))}.`,
      { n, rate },
    );
  }
  const value = sorted[n - 1 - allowed]!;
  const falsePositives = sorted.filter((score) => score > value).length;
  return { value, targetRate: rate, achievedRate: falsePositives / n, n, falsePositives, pool };
}
