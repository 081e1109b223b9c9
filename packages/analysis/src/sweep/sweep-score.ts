import { oneClassReason, rankScores } from "../statistics/auroc.ts";
import { bootstrapMean, clusterBootstrap } from "../statistics/bootstrap.ts";
import { createRandom } from "../statistics/random.ts";
import type { Estimate } from "../results/estimate.ts";
import type { SweepRows } from "../probes/sweep-rows.ts";

/** How scores of different folds are put together, for reports. */
export const poolingText =
  "scores of different folds come from different probes and have no common scale, so AUROC counts pairs of rows of the same fold only";

/** Cross-validated AUROC from each row's held-out score, with a cluster-bootstrap interval over groups (the probes stay as fitted). */
export function foldedAuroc(
  rows: Pick<SweepRows, "labels" | "groupOf" | "groups" | "positives">,
  options: { scores: ArrayLike<number>; foldOf: Uint8Array; draws: number; seed: number },
): Estimate {
  const { labels, groupOf, groups, positives } = rows;
  const ranked = rankScores({ scores: options.scores, labels, strata: options.foldOf, unit: groupOf });
  const value = ranked.auroc();
  const n = labels.length;
  if (value === null) {
    return {
      value: null,
      low: null,
      high: null,
      n,
      groups,
      reason: oneClassReason(positives, n - positives),
    };
  }
  // The same stream for every layer and probe: their intervals rest on the same draws.
  const random = createRandom(options.seed, "bootstrap");
  const drawn = clusterBootstrap({ groups, draws: options.draws, random }, (times) => ranked.auroc(times));
  return { value, ...drawn, n, groups };
}

/** Share of rows whose held-out score lies on the right side of 0, with its interval. */
export function foldedAccuracy(
  rows: Pick<SweepRows, "labels" | "groupOf" | "groups">,
  options: { scores: ArrayLike<number>; draws: number; seed: number },
): Estimate {
  const values = Array.from(rows.labels, (label, row) => Number(options.scores[row]! > 0 === (label === 1)));
  const random = createRandom(options.seed, "bootstrap");
  return bootstrapMean({ ...rows, values, draws: options.draws, random, absent: "there is no row" });
}
