import type { ProbeColumn, TrainingRows } from "../probe.ts";
import { refuseOneClass } from "../probe-fit.ts";
import type { ProbeMatrix } from "../probe-matrix.ts";
import { standardMoments, type StandardMoments } from "../standard-moments.ts";
import { binaryLoss, type MarginLoss } from "./binary-loss.ts";
import { ConvexFit } from "./convex-fit.ts";

/** A fit a column of two classes, at weights 0; columns that share training rows share their moments. */
export function startFits(
  matrix: ProbeMatrix,
  columns: readonly ProbeColumn[],
  margin: MarginLoss,
): ConvexFit[] {
  const known = new Map<TrainingRows, StandardMoments>();
  return columns.map((column) => {
    refuseOneClass(column);
    let moments = known.get(column.training);
    if (!moments) {
      // Training rows only: a moment of a held-out row would leak it into the scaler.
      moments = standardMoments(matrix.values, matrix.width, column.training.included);
      known.set(column.training, moments);
    }
    return new ConvexFit(binaryLoss(column, margin), moments, column.training.included);
  });
}
