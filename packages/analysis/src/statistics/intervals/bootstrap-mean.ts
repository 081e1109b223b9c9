import type { Estimate } from "../../results/estimate.ts";
import { clusterBootstrap, type BootstrapOptions } from "./cluster-bootstrap.ts";

/** The mean of `values` (one a row; undefined rows are left out) with an interval over groups: sums of drawn groups over their counts. */
export function bootstrapMean(
  options: BootstrapOptions & {
    values: readonly (number | undefined)[];
    groupOf: ArrayLike<number>;
    absent: string;
  },
): Estimate {
  const { values, groupOf, groups, absent, ...bootstrap } = options;
  const sums = new Float64Array(groups);
  const counts = new Float64Array(groups);
  values.forEach((value, row) => {
    if (value === undefined) return;
    sums[groupOf[row]!]! += value;
    counts[groupOf[row]!]! += 1;
  });
  const present = [...counts.keys()].filter((group) => counts[group]! > 0);
  const n = present.reduce((total, group) => total + counts[group]!, 0);
  if (n === 0) return { value: null, low: null, high: null, n: 0, groups: 0, reason: absent };
  const mean = present.reduce((total, group) => total + sums[group]!, 0) / n;
  const drawn = clusterBootstrap({ ...bootstrap, groups: present.length }, (times) => {
    let sum = 0;
    let count = 0;
    present.forEach((group, i) => {
      sum += times[i]! * sums[group]!;
      count += times[i]! * counts[group]!;
    });
    return sum / count;
  });
  const { low, high, reason } = drawn;
  return { value: mean, low, high, n, groups: present.length, ...(reason === undefined ? {} : { reason }) };
}
