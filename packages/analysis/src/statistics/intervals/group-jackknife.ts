import type { GroupStatistic } from "./cluster-bootstrap.ts";
import { effectiveFreedom } from "./freedom.ts";

/** More groups than this are left out in blocks, so that the jackknife never costs more evaluations. */
const mostBlocks = 200;

export interface GroupJackknife {
  /** The statistic of all groups. */
  value: number;
  standardError: number;
  /** Efron's acceleration: the skewness of the influence over 6. */
  acceleration: number;
  /** Degrees of freedom of the standard error. */
  freedom: number;
}

/**
 * Leaves out each of G groups in turn (200 blocks of groups when there are more): influence d_g = θ − θ₋g,
 * SE² = (G − 1)/G · Σ d², acceleration = Σ d³ / (6 (Σ d²)^1.5). Null where the statistic is undefined without some group, or never
 * changes.
 */
export function groupJackknife(groups: number, statistic: GroupStatistic): GroupJackknife | null {
  const blocks = Math.min(groups, mostBlocks);
  const kept = new Uint32Array(groups).fill(1);
  const value = statistic(kept);
  if (value === null) return null;
  const influence = new Float64Array(blocks);
  for (let block = 0; block < blocks; block++) {
    for (let group = block; group < groups; group += blocks) kept[group] = 0;
    const without = statistic(kept);
    for (let group = block; group < groups; group += blocks) kept[group] = 1;
    if (without === null || !Number.isFinite(without)) return null;
    influence[block] = value - without;
  }
  const squares = influence.reduce((sum, d) => sum + d * d, 0);
  if (squares === 0) return null;
  return {
    value,
    standardError: Math.sqrt(((blocks - 1) / blocks) * squares),
    acceleration: influence.reduce((sum, d) => sum + d ** 3, 0) / (6 * squares ** 1.5),
    freedom: effectiveFreedom(influence),
  };
}
