import { interval } from "./interval.ts";
import type { Random } from "./random.ts";
import type { Estimate } from "../results/estimate.ts";

/** Below this many groups a percentile interval of resampled groups is too narrow to be trusted. */
export const fewGroups = 20;

export interface BootstrapOptions {
  /** How many groups (clusters) there are; whole groups are drawn, with all their rows, whatever their sizes. */
  groups: number;
  draws: number;
  random: Random;
}

/**
 * A 95 % percentile interval by drawing whole groups with replacement. `statistic` is given how often each group was
 * drawn. Draws in which it is undefined (null) are counted and left out of the interval.
 */
export function clusterBootstrap(
  options: BootstrapOptions,
  statistic: (drawn: Uint32Array) => number | null,
): { low: number | null; high: number | null; undefinedDraws: number } {
  const { groups, draws, random } = options;
  const drawn = new Uint32Array(groups);
  const values: number[] = [];
  for (let draw = 0; draw < draws; draw++) {
    drawn.fill(0);
    for (let i = 0; i < groups; i++) drawn[random.below(groups)]! += 1;
    const value = statistic(drawn);
    if (value !== null) values.push(value);
  }
  const { low, high } = interval(values) ?? { low: null, high: null };
  return { low, high, undefinedDraws: draws - values.length };
}

/** The mean of `values` (one a row; undefined rows are left out) with an interval over groups: sums of drawn groups over their counts. */
export function bootstrapMean(
  options: BootstrapOptions & {
    values: readonly (number | undefined)[];
    groupOf: ArrayLike<number>;
    absent: string;
  },
): Estimate {
  const { values, groupOf, groups } = options;
  const sums = new Float64Array(groups);
  const counts = new Float64Array(groups);
  values.forEach((value, row) => {
    if (value === undefined) return;
    sums[groupOf[row]!]! += value;
    counts[groupOf[row]!]! += 1;
  });
  const present = [...counts.keys()].filter((group) => counts[group]! > 0);
  const n = present.reduce((total, group) => total + counts[group]!, 0);
  if (n === 0) return { value: null, low: null, high: null, n: 0, groups: 0, reason: options.absent };
  const mean = present.reduce((total, group) => total + sums[group]!, 0) / n;
  const drawn = clusterBootstrap({ ...options, groups: present.length }, (times) => {
    let sum = 0;
    let count = 0;
    present.forEach((group, i) => {
      sum += times[i]! * sums[group]!;
      count += times[i]! * counts[group]!;
    });
    return sum / count;
  });
  return { value: mean, low: drawn.low, high: drawn.high, n, groups: present.length };
}
