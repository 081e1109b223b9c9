import { normalCdf, normalQuantile } from "../distributions/normal.ts";
import { studentQuantile } from "../distributions/student.ts";
import type { GroupStatistic } from "./cluster-bootstrap.ts";
import { groupJackknife } from "./group-jackknife.ts";

/**
 * The quantiles of the draws between which an interval lies. BCa (Efron 1987): bias from the share of draws below the value,
 * acceleration from the jackknife; its normal quantile z is replaced by t · SE(jackknife) / SE(draws), where t has the degrees of
 * freedom that the spread of the groups' influence is worth. Redrawn groups vary too little when they are few or unequal, and their
 * variance is itself uncertain: both make plain quantiles too narrow.
 */
export function adjustedLevels(options: {
  /** The draws, ascending. */
  sorted: Float64Array;
  groups: number;
  level: number;
  statistic: GroupStatistic;
  /** Whether bias and acceleration shift the levels; else they are only widened. */
  shifted: boolean;
}): [below: number, above: number] {
  const { sorted, groups, level, statistic, shifted } = options;
  const tail = (1 - level) / 2;
  const spread = deviation(sorted);
  // Without a spread all quantiles are equal.
  if (groups < 2 || spread === 0) return [tail, 1 - tail];
  const jackknife = groupJackknife(groups, statistic);
  if (!jackknife) {
    // Some group alone holds a class: no jackknife, so only the count of groups widens it (Hesterberg 2015).
    const z = Math.sqrt(groups / (groups - 1)) * studentQuantile(1 - tail, groups - 1);
    return [normalCdf(-z), normalCdf(z)];
  }
  const { value, standardError, acceleration, freedom } = jackknife;
  const z = (studentQuantile(1 - tail, freedom) * standardError) / spread;
  if (!shifted) return [normalCdf(-z), normalCdf(z)];
  const bias = normalQuantile(shareBelow(sorted, value));
  const at = (side: number) => {
    const moved = bias + side;
    const stretch = 1 - acceleration * moved;
    // Beyond the pole of the formula nothing is left to cut off.
    return stretch > 0 ? normalCdf(bias + moved / stretch) : side < 0 ? 0 : 1;
  };
  return [at(-z), at(z)];
}

/** Share of draws below a value, ties half, kept off 0 and 1 by half a draw. */
function shareBelow(sorted: Float64Array, value: number): number {
  let below = 0;
  for (const draw of sorted) below += draw < value ? 1 : draw === value ? 0.5 : 0;
  return Math.min(sorted.length - 0.5, Math.max(0.5, below)) / sorted.length;
}

function deviation(values: Float64Array): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  // Equal values may leave the rounding of their mean.
  return values[0] === values.at(-1) ? 0 : Math.sqrt(squares / (values.length - 1));
}
