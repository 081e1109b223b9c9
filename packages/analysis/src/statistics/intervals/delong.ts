import { z } from "zod";
import { checkOptions } from "../../options/check-options.ts";
import type { DelongDifference, DelongEstimate } from "../../results/delong.ts";
import { studentCdf, studentQuantile } from "../distributions/student.ts";
import { aurocMetric } from "../metrics/auroc.ts";
import { rowGroups, type GroupedRows } from "../metrics/estimate-metric.ts";
import { aurocInfluence, type AurocInfluence } from "./auroc-influence.ts";
import { effectiveFreedom } from "./freedom.ts";

/**
 * AUROC with the standard error of DeLong et al. (1988) for rows in groups (Obuchowski 1997), without resampling. The interval is
 * symmetric on the logit scale, by Student's t with the degrees of freedom that the groups' influence is worth.
 * With strata, pairs of one stratum count. `level` defaults to 0.95.
 */
export function delongAuroc(rows: GroupedRows, options: { level?: number } = {}): DelongEstimate {
  const { level } = checkOptions(levelSchema, options, "delongAuroc");
  const { index, count } = rowGroups(rows, "delongAuroc");
  const influence = aurocInfluence({ ...rows, unit: index }, "delongAuroc");
  const sizes = { n: index.length, groups: count };
  if (!influence) return { ...undefinedEstimate(rows), ...sizes };
  const { value } = influence;
  const error = clusteredError(influence, rows.labels, index, count);
  const { standardError, freedom } = error;
  const nothing = noInterval(error, count);
  if (nothing) return { value, low: null, high: null, standardError, ...sizes, reason: nothing };
  const t = studentQuantile((1 + level) / 2, freedom);
  const logit = Math.log(value / (1 - value));
  const reach = (t * standardError) / (value * (1 - value));
  return { value, low: expit(logit - reach), high: expit(logit + reach), standardError, ...sizes };
}

/**
 * The difference of two AUROCs of the same rows, first less second, with the clustered DeLong error of the paired difference, its interval
 * (Student's t) and two-sided p.
 */
export function delongDifference(
  rows: Omit<GroupedRows, "scores"> & { scores: readonly [ArrayLike<number>, ArrayLike<number>] },
  options: { level?: number } = {},
): DelongDifference {
  const { level } = checkOptions(levelSchema, options, "delongDifference");
  checkOptions(pairSchema, rows, "delongDifference");
  const { index, count } = rowGroups(rows, "delongDifference");
  const sizes = { n: index.length, groups: count };
  const [first, second] = rows.scores.map((scores) =>
    aurocInfluence({ ...rows, scores, unit: index }, "delongDifference"),
  );
  if (!first || !second)
    return { ...undefinedEstimate({ ...rows, scores: rows.scores[0] }), p: null, ...sizes };
  const difference: AurocInfluence = {
    value: first.value - second.value,
    positives: first.positives.map((d, group) => d - second.positives[group]!),
    negatives: first.negatives.map((d, group) => d - second.negatives[group]!),
  };
  const { value } = difference;
  const error = clusteredError(difference, rows.labels, index, count);
  const { standardError, freedom } = error;
  const nothing = noInterval(error, count);
  if (nothing) return { value, low: null, high: null, standardError, p: null, ...sizes, reason: nothing };
  const reach = studentQuantile((1 + level) / 2, freedom) * standardError;
  const p = 2 * studentCdf(-Math.abs(value) / standardError, freedom);
  return { value, low: value - reach, high: value + reach, standardError, p, ...sizes };
}

const levelSchema = z.strictObject({ level: z.number().gt(0).lt(1).default(0.95) });
const pairSchema = z.looseObject({ scores: z.tuple([z.unknown(), z.unknown()]) });

function undefinedEstimate(rows: GroupedRows) {
  const { reason } = aurocMetric.prepare(rows);
  return { value: null, low: null, high: null, standardError: null, reason };
}

interface ClusteredError {
  standardError: number;
  /** Of its square. */
  freedom: number;
  /** Groups with positives, groups with negatives. */
  holding: [number, number];
}

/**
 * Obuchowski's variance: S10/M + S01/N + 2 S11/(MN), where I₁₀, I₀₁ and I are the groups with positives, with negatives and
 * all. Its degrees of freedom are what the groups' influence is worth, and no more than those of its first two parts (Welch and Satterthwaite), of
 * which the one of a class in few groups is very uncertain. A class in one group alone has no variance between groups, so there is no interval.
 */
function clusteredError(
  { positives, negatives }: AurocInfluence,
  labels: ArrayLike<number | boolean>,
  unit: Uint32Array,
  groups: number,
): ClusteredError {
  const withPositives = new Set<number>();
  const withNegatives = new Set<number>();
  unit.forEach((group, row) => (labels[row] ? withPositives : withNegatives).add(group));
  const scale = (count: number) => (count > 1 ? count / (count - 1) : 0);
  const holding: [number, number] = [withPositives.size, withNegatives.size];
  const parts = [
    scale(withPositives.size) * dot(positives, positives),
    scale(withNegatives.size) * dot(negatives, negatives),
  ] as const;
  const variance = parts[0] + parts[1] + 2 * scale(groups) * dot(positives, negatives);
  const uncertainty = parts.reduce((sum, part, i) => sum + part ** 2 / Math.max(1, holding[i]! - 1), 0);
  const pooled = uncertainty > 0 ? (parts[0] + parts[1]) ** 2 / uncertainty : groups - 1;
  const worth = effectiveFreedom(positives.map((d, group) => d + negatives[group]!));
  // The parts have different scales, so a sum near 0 may come out below it.
  return { standardError: Math.sqrt(Math.max(0, variance)), freedom: Math.min(worth, pooled), holding };
}

function dot(a: Float64Array, b: Float64Array): number {
  return a.reduce((sum, value, i) => sum + value * b[i]!, 0);
}

function noInterval(
  { standardError, holding: [positive, negative] }: ClusteredError,
  groups: number,
): string | undefined {
  if (groups < 3) return `an interval needs at least 3 groups, and there are ${groups}`;
  if (positive < 2 || negative < 2)
    return `an interval needs at least 2 groups of each class: ${positive} have positive rows, and ${negative} negative ones`;
  if (standardError < 1e-12)
    return "the groups do not differ (a perfect or constant score, say), so their variance tells nothing";
  return undefined;
}

function expit(x: number): number {
  return 1 / (1 + Math.exp(-x));
}
