import { z } from "zod";
import { checkOptions } from "../options/check-options.ts";
import { classValues } from "../probes/label-values.ts";
import { ProbeError } from "../probes/probe-error.ts";
import type { LabelValue } from "../probes/sweep-rows.ts";
import { classesInOrder } from "../probes/trained/training-labels.ts";
import { resultSchemaVersion } from "../results/result-version.ts";
import type { ScoreHistogram } from "../results/score-histogram.ts";
import { arraySchema, finiteNumbers, refuseOtherLength } from "./checked-arrays.ts";
import { rowGroups } from "./metrics/estimate-metric.ts";

/** Rows with the score, the class and the group of each. */
export interface HistogramRows {
  scores: ArrayLike<number>;
  /** Any values that name classes. */
  labels: ArrayLike<LabelValue>;
  groups: ArrayLike<unknown>;
  /** Rows whose scores share a scale, as metrics take them: more than one is refused. */
  strata?: ArrayLike<number> | undefined;
}

export interface HistogramOptions {
  /** What the scores measure, in words (default "score"). */
  score?: string;
  /** Bins of equal width from the lowest to the highest score (default 20). */
  bins?: number;
  /** `[bins + 1]`, rising, in place of `bins`: histograms with the same edges can be compared. Every score must lie between them. */
  edges?: readonly number[];
  /** Where a decision is made, to be shown. */
  threshold?: number;
}

const optionsSchema = z
  .strictObject({
    score: z.string().min(1).default("score"),
    bins: z.int().min(1).max(10_000).optional(),
    edges: z
      .array(z.number())
      .min(2)
      .refine((edges) => edges.every((edge, i) => i === 0 || edge > edges[i - 1]!), "rising numbers")
      .optional(),
    threshold: z.number().optional(),
  })
  .refine(({ bins, edges }) => bins === undefined || edges === undefined, "bins or edges, not both");

const rowsSchema = z.looseObject({
  scores: arraySchema<number>("numbers"),
  labels: arraySchema<LabelValue>("labels"),
  strata: arraySchema<number>("whole numbers").optional(),
});

/**
 * How many rows of each class score how high, in bins that all classes share (those of numpy.histogram). Scores of several fits (folds) have
 * no common scale, so rows of more than one stratum are refused.
 * Throws ProbeError `bad_option`, `bad_label`, `bad_group`, `not_finite`, `no_rows`; InvalidRequestError.
 */
export function scoreHistogram(rows: HistogramRows, options: HistogramOptions = {}): ScoreHistogram {
  const of = "scoreHistogram";
  const { score, bins = 20, edges: given, threshold } = checkOptions(optionsSchema, options, of);
  checkOptions(rowsSchema, rows, of);
  refuseOtherLength(rows.labels, rows.scores.length, "labels", of);
  const { count } = rowGroups(rows, of);
  const scores = finiteNumbers(rows.scores, "score", of);
  if (scores.length === 0) throw new ProbeError("no_rows", "There is no score to count.");
  refuseStrata(rows.strata, scores.length);
  const labels = classValues(Array.from(rows.labels), "labels");
  const edges = given ? [...given] : evenEdges(scores, bins);
  const binOf = Uint32Array.from(scores, (value, row) => binAt(edges, value, row));
  return {
    schemaVersion: resultSchemaVersion,
    kind: "score-histogram",
    score,
    // JSON has no −0.
    edges: edges.map((edge) => edge + 0),
    classes: classesInOrder(labels).map((label) => {
      const own = [...labels.keys()].filter((row) => labels[row] === label);
      const counts = new Array<number>(edges.length - 1).fill(0);
      for (const row of own) counts[binOf[row]!]! += 1;
      // Divided before they are added: the sum of the largest numbers there are would be infinite. From the first, so that equal scores are their mean.
      const first = scores[own[0]!]!;
      const mean =
        own.reduce((sum, row) => sum + (scores[row]! / own.length - first / own.length), first) + 0;
      return { label, counts, n: own.length, mean };
    }),
    threshold: threshold === undefined ? null : threshold + 0,
    n: scores.length,
    groups: count,
  };
}

/** numpy's: equal steps; half a unit to each side of scores that are all equal. */
function evenEdges(scores: Float64Array, bins: number): number[] {
  let low = scores.reduce((a, b) => Math.min(a, b));
  let high = scores.reduce((a, b) => Math.max(a, b));
  if (low === high) {
    // Of a number so large that a half is nothing to it, a little more.
    const half = Math.max(0.5, Math.abs(low) * 1e-12);
    [low, high] = [Math.max(-Number.MAX_VALUE, low - half), Math.min(Number.MAX_VALUE, high + half)];
  }
  const between = Array.from({ length: bins - 1 }, (_, i) => {
    const share = (i + 1) / bins;
    return high - low < Infinity ? low + (high - low) * share : low * (1 - share) + high * share;
  });
  // Numbers so near each other may have no other between them.
  return [...new Set([low, ...between, high])];
}

function binAt(edges: readonly number[], value: number, row: number): number {
  const last = edges.length - 1;
  if (value < edges[0]! || value > edges[last]!) {
    throw new ProbeError(
      "bad_option",
      `The score of row ${row} is ${value}, outside the edges ${edges[0]} to ${edges[last]}: a histogram that leaves rows out would show another spread. Give wider edges, or bins.`,
      { row, value },
    );
  }
  let [low, high] = [0, last];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (edges[middle]! <= value) low = middle;
    else high = middle;
  }
  return low;
}

function refuseStrata(strata: ArrayLike<number> | undefined, rows: number): void {
  if (strata === undefined) return;
  refuseOtherLength(strata, rows, "strata", "scoreHistogram");
  const count = new Set(Array.from(strata)).size;
  if (count < 2) return;
  throw new ProbeError(
    "bad_option",
    `The scores are of ${count} strata (folds), which have no common scale: make a histogram of each, or of calibrated probabilities without strata.`,
    { strata: count },
  );
}
