import { z } from "zod";
import { checkOptions } from "../../options/check-options.ts";
import { countClasses } from "../metrics/auroc.ts";
import { fillWeights, type Metric } from "../metrics/metric.ts";
import { rocStrata, type RocStratum } from "./roc-strata.ts";

/**
 * Recall at a false-positive rate: the height of the ROC curve there. Between two corners (rows of equal score) it lies on their line, above
 * a point of the axis where the curve rises it is the upper end. With strata the heights of their curves are averaged, each weighing as
 * many as it has pairs of rows of both classes: so the area under the averaged curve is the AUROC over pairs of one stratum.
 */
export function rocRecallMetric(options: { rate: number }): Metric {
  const { rate } = checkOptions(optionsSchema, options, "the metric recall on the ROC curve");
  return {
    name: "recall on the ROC curve",
    prepare(rows) {
      const { strata, units } = rocStrata(rows, "ROC curve");
      const own = new Float64Array(units);
      const { positives, negatives } = countClasses(rows.labels);
      return {
        value: (weights) => rocHeights(strata, [rate], fillWeights(own, weights))?.[0] ?? null,
        reason: `a ROC curve needs rows of both classes in one stratum: there are ${positives} positive and ${negatives} negative`,
      };
    },
  };
}

const optionsSchema = z.strictObject({ rate: z.number().min(0).max(1) });

/** The heights at rising rates, in one walk over the rows; null where no stratum has weight of both classes. */
export function rocHeights(
  strata: readonly RocStratum[],
  rates: readonly number[],
  weights: Float64Array,
): Float64Array | null {
  const heights = new Float64Array(rates.length);
  let pairs = 0;
  for (const stratum of strata) {
    const [positives, negatives] = totals(stratum, weights);
    const own = positives * negatives;
    if (own === 0) continue;
    pairs += own;
    addHits(stratum, { rates, weights, negatives, scale: own / positives }, heights);
  }
  return pairs > 0 ? heights.map((sum) => Math.min(1, sum / pairs)) : null;
}

function totals({ unit, positive }: RocStratum, weights: Float64Array): [number, number] {
  let [positives, negatives] = [0, 0];
  for (let at = 0; at < unit.length; at++) {
    if (positive[at] === 1) positives += weights[unit[at]!]!;
    else negatives += weights[unit[at]!]!;
  }
  return [positives, negatives];
}

/** Adds to each height `scale` times the positives that stand above as many negatives as its rate allows. */
function addHits(
  { unit, positive, ends }: RocStratum,
  of: { rates: readonly number[]; weights: Float64Array; negatives: number; scale: number },
  heights: Float64Array,
): void {
  const { rates, weights, negatives, scale } = of;
  const allowed = (k: number) => rates[k]! * negatives;
  let k = 0;
  let [hits, alarms, tiedHits, tiedAlarms] = [0, 0, 0, 0];
  for (let at = 0; at < unit.length && k < rates.length; at++) {
    const weight = weights[unit[at]!]!;
    if (positive[at] === 1) tiedHits += weight;
    else tiedAlarms += weight;
    if (ends[at] === 0) continue;
    // A product with a rate may lie an ulp below the whole number that is meant.
    while (k < rates.length && alarms + tiedAlarms > allowed(k) * (1 + 1e-12)) {
      heights[k]! += scale * (hits + tiedHits * ((allowed(k) - alarms) / tiedAlarms));
      k += 1;
    }
    hits += tiedHits;
    alarms += tiedAlarms;
    tiedHits = tiedAlarms = 0;
  }
  for (; k < rates.length; k++) heights[k]! += scale * hits;
}
