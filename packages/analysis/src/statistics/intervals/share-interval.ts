import { z } from "zod";
import { checkOptions } from "../../options/check-options.ts";
import type { Estimate } from "../../results/estimate.ts";
import { arraySchema, binaryLabels, refuseOtherLength } from "../checked-arrays.ts";
import { betaQuantile } from "../distributions/beta.ts";
import { studentQuantile } from "../distributions/student.ts";
import { indexGroups } from "../group-folds.ts";

/**
 * A share of rows with the interval of Clopper and Pearson (1934), at the number of independent rows that grouped rows are worth (Korn
 * and Graubard 1998): n* = p(1 − p)/var(p) · (t_{n−1}/t_{G−1})², at most n, where var(p) is between groups. It is honest for rare
 * events, where redrawn groups show no spread: with none (or all) hit, n* is the number of groups. Rows that are groups of their own
 * count one each.
 */
export function shareInterval(options: {
  /** One a row. */
  hits: ArrayLike<boolean | number>;
  groups: ArrayLike<unknown>;
  level?: number;
  /** The reason given where there is no row. */
  absent?: string;
}): Estimate {
  const { level, absent } = checkOptions(shareSchema, options, "shareInterval");
  const hits = binaryLabels(options.hits, "shareInterval");
  refuseOtherLength(options.groups, hits.length, "groups", "shareInterval");
  const { index, count } = indexGroups(options.groups);
  const n = hits.length;
  if (n === 0) return { value: null, low: null, high: null, n: 0, groups: 0, reason: absent };
  const hitsOf = new Float64Array(count);
  const rowsOf = new Float64Array(count);
  index.forEach((group, row) => {
    hitsOf[group]! += hits[row]!;
    rowsOf[group]! += 1;
  });
  const share = hitsOf.reduce((sum, hit) => sum + hit, 0) / n;
  if (count < 2 && n > 1) {
    const reason = "an interval needs at least 2 groups, and there is 1";
    return { value: share, low: null, high: null, n, groups: count, reason };
  }
  const worth = count === n ? n : worthOf({ share, n, hitsOf, rowsOf, level });
  return { value: share, ...clopperPearson(share * worth, worth, level), n, groups: count };
}

function worthOf(options: {
  share: number;
  n: number;
  hitsOf: Float64Array;
  rowsOf: Float64Array;
  level: number;
}): number {
  const { share, n, hitsOf, rowsOf, level } = options;
  const groups = hitsOf.length;
  if (share === 0 || share === 1) return groups;
  const squares = hitsOf.reduce((sum, hit, group) => sum + (hit - share * rowsOf[group]!) ** 2, 0);
  const variance = ((groups / (groups - 1)) * squares) / n ** 2;
  const t = (freedom: number) => studentQuantile((1 + level) / 2, freedom);
  const worth = ((share * (1 - share)) / variance) * (t(n - 1) / t(groups - 1)) ** 2;
  return Math.min(n, worth);
}

/** `hits` of `n` may be fractions. */
export function clopperPearson(hits: number, n: number, level = 0.95): { low: number; high: number } {
  const tail = (1 - level) / 2;
  return {
    low: hits <= 0 ? 0 : betaQuantile(tail, hits, n - hits + 1),
    high: hits >= n ? 1 : betaQuantile(1 - tail, hits + 1, n - hits),
  };
}

const shareSchema = z.strictObject({
  hits: arraySchema<boolean | number>("hits, one a row"),
  groups: arraySchema<unknown>("group names, one a row"),
  level: z.number().gt(0).lt(1).default(0.95),
  absent: z.string().default("there is no row"),
});
