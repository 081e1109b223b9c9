import { gramFactor } from "../../linalg/gram-factor.ts";
import type { ProbeMatrix } from "../probe-matrix.ts";
import { trainingMoments } from "../training-moments.ts";
import { biasCurvature, meanCurvature, type LogisticPreconditioner } from "./logistic-preconditioner.ts";

/** One factor serves while the scale is within this factor of the one that it was made for. */
const reach = 3;
/** Float32 tells nothing about directions that vary by less than this share of the largest. */
const roundingShare = 1e-5;
/** What float32 still holds. */
const hugest = 1e30;
/** More rows than this many times the width tell little more about how features vary together. */
const sampleRows = 16;

/**
 * (C · w̄ · G + I)⁻¹ with G the Gram matrix of all standardised rows (an even sample of many), one for all columns, and w̄ the mean
 * curvature of a row.
 */
export async function gramPreconditioner(matrix: ProbeMatrix): Promise<LogisticPreconditioner> {
  const { width } = matrix;
  const sample = await matrix.sample(sampleRows * width);
  const every = { included: new Uint8Array(sample.length / width).fill(1) };
  const [moments] = trainingMoments(sample, width, [every]);
  const gram = gramFactor(sample, { width, mean: moments!.mean, scale: moments!.inverse });
  const largest = Math.max(gram.largest, 1);
  const rows = sample.length / width;
  let factoredScale = 0;
  let C = 0;
  return {
    prepare(given, columns) {
      C = given;
      const scale = Math.min((C * meanCurvature(columns)) / rows, hugest / largest);
      if (scale <= reach * factoredScale && scale * reach >= factoredScale) return;
      gram.factor(scale, Math.max(1, roundingShare * scale * largest));
      factoredScale = scale;
    },
    apply(vectors, columns) {
      gram.solve(vectors);
      vectors.forEach((vector, k) => {
        vector[width]! /= biasCurvature(C, columns[k]!);
      });
    },
    dispose: () => undefined,
  };
}
