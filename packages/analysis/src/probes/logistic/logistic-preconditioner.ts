import { gramFactor } from "../../linalg/gram-factor.ts";
import type { ProbeMatrix } from "../probe-matrix.ts";
import { trainingMoments } from "../training-moments.ts";

/** What a preconditioner looks at: the sum of curvatures of a column's training rows. */
interface Curved {
  readonly curvature: number;
}

/** An approximate inverse of the columns' Hessians: it shapes the way to the solution, not the solution. */
export interface LogisticPreconditioner {
  /** Looks at the curvatures with which columns start at `C`. */
  prepare(C: number, columns: readonly Curved[]): void;
  /** Writes over the vector of each column (`[width + 1]`: weights and, last, the bias). */
  apply(vectors: readonly Float64Array[], columns: readonly Curved[]): void;
}

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
export function gramPreconditioner(matrix: ProbeMatrix): LogisticPreconditioner {
  const { width } = matrix;
  const sample = sampled(matrix);
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
      const mean = columns.reduce((sum, { curvature }) => sum + curvature, 0) / columns.length;
      const scale = Math.min((C * mean) / rows, hugest / largest);
      if (scale <= reach * factoredScale && scale * reach >= factoredScale) return;
      gram.factor(scale, Math.max(1, roundingShare * scale * largest));
      factoredScale = scale;
    },
    apply(vectors, columns) {
      gram.solve(vectors);
      vectors.forEach((vector, k) => {
        // The bias has no penalty, and standardised features are orthogonal to it.
        vector[width]! /= Math.max(C * columns[k]!.curvature, 1e-12);
      });
    },
  };
}

function sampled({ values, width, rows }: ProbeMatrix): Float32Array {
  const most = sampleRows * width;
  if (rows <= most) return values;
  const sample = new Float32Array(most * width);
  for (let i = 0; i < most; i++) {
    const row = Math.floor(((i + 0.5) * rows) / most);
    sample.set(values.subarray(row * width, (row + 1) * width), i * width);
  }
  return sample;
}
