import type { ProbeMatrix } from "./probe-matrix.ts";
import type { ProbeName } from "../result-schema.ts";

/** The rows that a column is fitted on: 1 where a row takes part. Columns of the same fold share one object. */
export interface TrainingRows {
  readonly included: Uint8Array;
}

/** One fit among many on the same layer. `labels` (1 = positive) is read on training rows only. */
export interface ProbeColumn {
  readonly training: TrainingRows;
  readonly labels: Uint8Array;
}

/** A fitted column. A row scores `row · weights + bias` in the layer's raw space: any scaler is folded in. */
export interface ProbeFit {
  readonly C?: number;
  readonly weights: Float64Array;
  readonly bias: number;
  /** Scores of all rows of the matrix, whether fitted on or not. */
  readonly scores: Float64Array;
  readonly converged: boolean;
  readonly iterations: number;
  /** Norm of the gradient where the fit ended (0 where the solution is in closed form). */
  readonly gradientNorm: number;
  /** The objective there, in the terms of scikit-learn: C · Σ loss + ½‖w‖² (logistic only). */
  readonly objective?: number;
}

/** A kind of probe. `fit` takes many columns at once, since they share every product with the layer's rows. */
export interface Probe {
  readonly name: ProbeName;
  /** Values of C, ascending; null for a probe without one. */
  readonly C: readonly number[] | null;
  /** States space, bias and penalty, for reports. */
  readonly formula: string;
  /** One fit per value of C (one in all without) and column: `[C][column]`. */
  fit(matrix: ProbeMatrix, columns: readonly ProbeColumn[]): Promise<ProbeFit[][]>;
  /** The same at one value of C (undefined for a probe without one): one fit per column. */
  fitAt(matrix: ProbeMatrix, columns: readonly ProbeColumn[], C: number | undefined): Promise<ProbeFit[]>;
}
