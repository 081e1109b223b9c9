import type { RocCurve } from "../../results/roc-curve.ts";
import { clusterBootstrap } from "../intervals/cluster-bootstrap.ts";
import { fillWeights } from "../metrics/metric.ts";
import { createRandom } from "../random.ts";
import { rocHeights } from "./roc-recall.ts";
import type { RocStratum } from "./roc-strata.ts";

/**
 * Heights at rising rates, each with the interval that `estimateMetric` would give it. All rates meet the same weights in the same order (the
 * seed's draws, then the jackknife), so one walk over the rows serves them all. `units`: groups, by which rows are weighed.
 */
export function rocBand(
  strata: readonly RocStratum[],
  rates: readonly number[],
  { units, n, draws, seed }: { units: number; n: number; draws: number; seed: number },
): RocCurve["band"] {
  const own = new Float64Array(units);
  const heightsOf = (weights?: ArrayLike<number>) => rocHeights(strata, rates, fillWeights(own, weights));
  const whole = heightsOf()!;
  const known: (Float64Array | null)[] = [];
  const drawn = createRandom(seed, "bootstrap");
  return rates.map((rate, k) => {
    let call = 0;
    // Rates after the first read what its draws gave, so nothing need be drawn for them.
    const random = k === 0 ? drawn : { ...drawn, below: () => 0 };
    const interval = clusterBootstrap({ groups: units, draws, random }, (weights) => {
      const at = call++;
      if (at === known.length) known.push(heightsOf(weights));
      return known[at]?.[k] ?? null;
    });
    return { falsePositiveRate: rate, recall: { value: whole[k]!, ...interval, n, groups: units } };
  });
}
