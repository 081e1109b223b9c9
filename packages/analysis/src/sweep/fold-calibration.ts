import { applyPlatt, fitPlatt, type PlattFit } from "../statistics/calibration/platt.ts";
import { chooseThreshold, thresholdAtFpr } from "../statistics/thresholds/choose-threshold.ts";
import type { InnerScores } from "./sweep-candidates.ts";
import { columnLabels, type SweepTarget } from "./sweep-target.ts";

/** False-positive rates at which recall is reported. */
export const targetRates = [0.01, 0.05] as const;

/** What an outer fold's training rows say of scores: nothing here has seen the fold. */
export interface FoldCalibration {
  /** Of two classes: parts them best, by balanced accuracy. */
  threshold: number | null;
  /** Of two classes, for each of `targetRates`: at most that share of negatives lies above. */
  rateThresholds: number[];
  /** One a score column: how its scores become probabilities. */
  platt: PlattFit[];
}

/**
 * Thresholds and Platt's curves from the inner held-out scores of an outer fold's training rows. Null for numbers, and where a class has no
 * row.
 */
export function foldCalibration(target: SweepTarget, { rows, scores }: InnerScores): FoldCalibration | null {
  if (target.task === "number") return null;
  const { columns } = target;
  const own = Float64Array.from(rows, (row) => target.labels[row]!);
  const parted = columnLabels(target, own).map((labels, c) => ({
    scores: columns === 1 ? scores : Float64Array.from(rows, (_, i) => scores[i * columns + c]!),
    labels: Uint8Array.from(labels),
  }));
  if (parted.some(({ labels }) => labels.every((label) => label === labels[0]))) return null;
  const platt = parted.map((one) => fitPlatt(one.scores, one.labels));
  if (target.task === "classes") return { threshold: null, rateThresholds: [], platt };
  const [two] = parted;
  const negatives = two!.scores.filter((_, i) => two!.labels[i] === 0);
  return {
    threshold: chooseThreshold({ ...two!, rule: "youden" }),
    rateThresholds: targetRates.map((rate) => thresholdAtFpr({ scores: negatives, rate })),
    platt,
  };
}

/** Probabilities of one row's scores, from `at` on; of several classes they sum to 1. */
export function calibrateRow(
  { platt }: FoldCalibration,
  scores: Float64Array,
  probabilities: Float64Array,
  at: number,
): void {
  let sum = 0;
  for (let c = 0; c < platt.length; c++) {
    const probability = applyPlatt(platt[c]!, scores[at + c]!);
    probabilities[at + c] = probability;
    sum += probability;
  }
  if (platt.length === 1) return;
  for (let c = 0; c < platt.length; c++)
    probabilities[at + c] = sum > 0 ? probabilities[at + c]! / sum : 1 / platt.length;
}
