import type { Estimate } from "../results/estimate.ts";
import { clusterBootstrap } from "../statistics/intervals/cluster-bootstrap.ts";
import type { PreparedMetric } from "../statistics/metrics/metric.ts";
import { createRandom } from "../statistics/random.ts";
import { absent } from "../controls/draw-summary.ts";
import type { DrawSettings } from "./held-out-metrics.ts";

/**
 * How much higher the first scores than the mean of the others, on the same rows, with an interval that redraws the same groups for
 * all: sharper than two intervals held against each other, since the rows' luck is common to both.
 */
export function pairedGain(
  real: PreparedMetric,
  rivals: readonly PreparedMetric[],
  { n, groups, settings }: { n: number; groups: number; settings: DrawSettings },
): Estimate {
  const difference = (weights?: ArrayLike<number>): number | null => {
    const own = real.value(weights);
    let sum = 0;
    for (const rival of rivals) {
      const value = rival.value(weights);
      if (value === null) return null;
      sum += value;
    }
    return own === null ? null : own - sum / rivals.length;
  };
  const value = difference();
  if (value === null) {
    const undefinedOne = [real, ...rivals].find((one) => one.value() === null);
    return absent(undefinedOne?.reason ?? "there is nothing to compare with");
  }
  const random = createRandom(settings.seed, "bootstrap");
  const { draws } = settings;
  const drawn = clusterBootstrap({ groups, draws, random, interval: "widened" }, difference);
  return { value, ...drawn, n, groups };
}
