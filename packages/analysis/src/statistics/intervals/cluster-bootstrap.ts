import { z } from "zod";
import { checkOptions } from "../../options/check-options.ts";
import { ProbeError } from "../../probes/probe-error.ts";
import type { Random } from "../random.ts";
import { adjustedLevels } from "./adjusted-levels.ts";
import { quantile, sortedNumbers } from "./interval.ts";

/** Below this many groups an interval of resampled groups is not to be trusted. */
export const fewGroups = 20;

/** Below this many groups nothing is told from luck: 5 that all say the same do so by luck in 1 of 16 tries, 6 in 1 of 32. */
export const fewestGroups = 6;

/** Of fewer groups than could tell it from luck. */
export function ofTooFew({ groups }: { groups?: number | undefined }): boolean {
  return groups !== undefined && groups < fewestGroups;
}

export function fewGroupsNote(groups: number): string[] {
  if (groups >= fewGroups) return [];
  const only = `Only ${groups} ${groups === 1 ? "group" : "groups"}`;
  return [`${only}: intervals that redraw groups are too narrow below about ${fewGroups}.`];
}

/** Of an AUROC without an error. */
export const certainNote =
  "An AUROC of exactly 1 has the bootstrap interval [1, 1]: redrawing rows without an error shows none; it is no certainty.";

/** How intervals of redrawn groups are made, for reports. */
export const bootstrapText =
  "intervals: 95 %, whole groups redrawn, BCa levels widened by the jackknife's standard error and Student's t";

export interface BootstrapOptions {
  /** How many groups (clusters) there are; whole groups are drawn, with all their rows, whatever their sizes. */
  groups: number;
  draws: number;
  random: Random;
  /** Default 0.95. */
  level?: number | undefined;
  /**
   * `"adjusted"` (the default): BCa levels (Efron 1987), widened for few and unequal groups. `"widened"`: without the shifts of BCa, for
   * differences, which they would find too often near a ceiling. `"percentile"`: the middle of the draws, which is too narrow for fewer
   * than some hundred groups (docs/statistics.md).
   */
  interval?: "adjusted" | "widened" | "percentile" | undefined;
}

/** No interval has its reason. */
export interface BootstrapInterval {
  low: number | null;
  high: number | null;
  undefinedDraws: number;
  reason?: string;
}

const oneGroup = "an interval needs at least 2 groups, and there is 1";
/** Share of draws that may be undefined. */
const mostUndefined = 0.04;

/** Given how often each group was drawn; null where the statistic is undefined. */
export type GroupStatistic = (drawn: Uint32Array) => number | null;

/**
 * An interval by drawing whole groups with replacement. `statistic` is given how often each group was drawn. Draws in which it is
 * undefined (null) are counted and left out of the interval; one that is NaN or infinite is refused (`not_finite`). No interval, with its
 * reason, for one group, and where more than 4 % of draws are undefined (a class in three groups or fewer is left out of 5 % or more): what
 * is left of them varies far too little. The interval holds the value of the groups as they are (not so `percentile`).
 */
export function clusterBootstrap(options: BootstrapOptions, statistic: GroupStatistic): BootstrapInterval {
  const { level, interval, groups, draws } = checkOptions(bootstrapSchema, options, "clusterBootstrap");
  if (groups < 2) return { low: null, high: null, undefinedDraws: 0, reason: oneGroup };
  const sorted = sortedNumbers(bootstrapValues(options, statistic));
  const undefinedDraws = draws - sorted.length;
  if (undefinedDraws > mostUndefined * draws) {
    const reason = `an interval needs more groups of the rarer class: ${undefinedDraws} of ${draws} redrawn sets of groups leave the measure undefined`;
    return { low: null, high: null, undefinedDraws, reason };
  }
  const [below, above] =
    interval === "percentile"
      ? [(1 - level) / 2, (1 + level) / 2]
      : adjustedLevels({ sorted, groups, level, statistic, shifted: interval === "adjusted" });
  const [low, high] = [quantile(sorted, below), quantile(sorted, above)];
  if (interval === "percentile") return { low, high, undefinedDraws };
  // All draws may lie on one side of the value (pairs of rows of one group count more once it is drawn twice).
  const value = statistic(new Uint32Array(groups).fill(1)) ?? low;
  return { low: Math.min(low, value), high: Math.max(high, value), undefinedDraws };
}

/** The statistic of each draw in which it is defined. Its standard deviation is the bootstrap's standard error. */
export function bootstrapValues(options: BootstrapOptions, statistic: GroupStatistic): Float64Array {
  const { groups, draws, random } = checkOptions(bootstrapSchema, options, "clusterBootstrap");
  const drawn = new Uint32Array(groups);
  const values = new Float64Array(draws);
  let defined = 0;
  for (let draw = 0; draw < draws; draw++) {
    drawn.fill(0);
    for (let i = 0; i < groups; i++) drawn[random.below(groups)]! += 1;
    const value = statistic(drawn);
    if (value === null) continue;
    if (!Number.isFinite(value)) {
      throw new ProbeError(
        "not_finite",
        `The statistic of draw ${draw} is ${value}: return null where it is undefined.`,
        { draw },
      );
    }
    values[defined++] = value;
  }
  return values.subarray(0, defined);
}

const bootstrapSchema = z.strictObject({
  groups: z.int().min(1),
  draws: z.int().min(1),
  random: z.custom<Random>(
    (given) => typeof (given as Random | undefined)?.below === "function",
    "a Random, of createRandom",
  ),
  level: z.number().gt(0).lt(1).default(0.95),
  interval: z.enum(["adjusted", "widened", "percentile"]).default("adjusted"),
});
