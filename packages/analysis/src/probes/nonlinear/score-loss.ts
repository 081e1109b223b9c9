import { binaryLoss, logLoss } from "../convex/binary-loss.ts";
import type { RowLoss } from "../convex/row-loss.ts";
import { softmaxLoss } from "../convex/softmax-loss.ts";
import { total } from "../../linalg/vectors.ts";

/** A mean loss of units (rows, or whole sequences) by their scores. */
export interface MeanLoss {
  readonly loss: RowLoss;
  /** 1 / Σ weight: what makes the sum a mean. */
  readonly share: number;
}

/**
 * Log loss of one score (targets 1 and 0), or cross entropy of one a class, of the units that `included` marks. `weights` as in
 * training data.
 */
export function meanLoss(units: {
  classes: number | null;
  targets: ArrayLike<number>;
  weights: Float64Array | null;
  included: Uint8Array;
}): MeanLoss {
  const { classes, targets, included } = units;
  const weights = Float64Array.from(included, (marked, unit) => (marked ? (units.weights?.[unit] ?? 1) : 0));
  const loss =
    classes === null
      ? binaryLoss({ training: { included }, labels: targets, weights }, logLoss)
      : softmaxLoss(targets, classes, weights);
  return { loss, share: 1 / Math.max(total(weights), Number.MIN_VALUE) };
}
