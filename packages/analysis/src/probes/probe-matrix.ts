import { deviceMatrix } from "../backend/device-matrix.ts";
import { centeredRows, medianRow, middleRows } from "./centered-rows.ts";
import { evenRows } from "./even-rows.ts";
import { packedScores } from "./packed-scores.ts";
import { ProbeError } from "./probe-error.ts";
import type { StandardMoments } from "./standard-moments.ts";
import { type MomentRows, trainingMoments } from "./training-moments.ts";

/** One layer's rows on the active backend. Every product serves many columns (folds, values of C, shuffles) at once. */
export interface ProbeMatrix {
  readonly rows: number;
  readonly width: number;
  /** `[rows, width]`, less `center`. Throws ProbeError `streamed` where rows come in blocks and are never all in memory. */
  readonly values: Float32Array;
  readonly center: Float64Array;
  /** Scores of `weights` (`[columns, width]`) as `[columns, rows]`. */
  scores(weights: readonly ArrayLike<number>[]): Promise<Float32Array[]>;
  /** Sums over rows of residual × row: `residuals` is `[columns, rows]`, the answer `[columns, width]`. */
  gather(residuals: readonly ArrayLike<number>[]): Promise<Float32Array[]>;
  /** XᵀX, `[width, width]`. */
  gram(): Promise<Float32Array>;
  /** Moments of the (centred) rows of each training set, weighted where its rows have weights. */
  moments(sets: readonly MomentRows[]): Promise<StandardMoments[]>;
  /** At most `most` centred rows at even distances, `[rows, width]`; all of them (no copy) where there are no more. */
  sample(most: number): Promise<Float32Array>;
  dispose(): void;
}

/**
 * Puts `values` (`[rows, width]`, untouched) on the backend, less a constant row (a median of some rows): float32 products of
 * features far from zero would lose digits. A constant shift changes no standardised value, whichever rows it came from.
 */
export function probeMatrix(values: Float32Array, width: number): ProbeMatrix {
  if (width < 1 || values.length === 0 || values.length % width !== 0) {
    throw new ProbeError("wrong_width", `${values.length} numbers are no whole rows of ${width}.`, { width });
  }
  const rows = values.length / width;
  const center = medianRow(evenRows({ values, width, rows }, middleRows), width);
  const centered = centeredRows(values, { width, center });
  const x = deviceMatrix(centered, width);
  return {
    rows,
    width,
    values: centered,
    center,
    scores: (weights) => packedScores(x, weights),
    async gather(residuals) {
      const packed = new Float32Array(rows * residuals.length);
      residuals.forEach((column, k) => packed.set(column, k * rows));
      const product = await x.gather(packed, residuals.length);
      return residuals.map((_, k) => product.subarray(k * width, (k + 1) * width));
    },
    gram: () => x.gram(),
    moments: (sets) => Promise.resolve(trainingMoments(centered, width, sets)),
    sample: (most) => Promise.resolve(evenRows({ values: centered, width, rows }, most)),
    dispose: () => x.dispose(),
  };
}
