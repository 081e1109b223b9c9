import type { ProbeColumn } from "../probe.ts";
import { trainingSpreads } from "../linear/row-spread.ts";
import { refuseOneClass } from "../probe-fit.ts";
import type { ProbeMatrix } from "../probe-matrix.ts";
import { standardMoments, type StandardMoments } from "../standard-moments.ts";
import { binaryLoss, type MarginLoss } from "./binary-loss.ts";
import { ConvexFit } from "./convex-fit.ts";

/** A fit a column of two classes, at weights 0; columns that share training rows and weights share their moments. */
export function startFits(
  matrix: ProbeMatrix,
  columns: readonly ProbeColumn[],
  margin: MarginLoss,
): ConvexFit[] {
  columns.forEach(refuseOneClass);
  const known = new Map<Float64Array, { moments: StandardMoments; included: Uint8Array }>();
  return trainingSpreads(columns).map(({ weights }, k) => {
    let own = known.get(weights);
    if (!own) {
      // Training rows only: a moment of a held-out row would leak it into the scaler.
      const moments = standardMoments(matrix.values, matrix.width, weights);
      own = { moments, included: Uint8Array.from(weights, (weight) => (weight > 0 ? 1 : 0)) };
      known.set(weights, own);
    }
    return new ConvexFit(binaryLoss(columns[k]!, margin), own.moments, own.included);
  });
}
