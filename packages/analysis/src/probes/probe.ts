import type { ProbeMatrix } from "./probe-matrix.ts";
import type { ProbeName } from "../results/probe-name.ts";
import type { ProbeBias } from "../results/trained-probe.ts";
import type { ProbeTrainer } from "./trained/probe-trainer.ts";

/** The rows that a column is fitted on: 1 where a row takes part. Columns of the same fold share one object. */
export interface TrainingRows {
  readonly included: Uint8Array;
}

/**
 * One fit among many on the same layer. `labels` (`[rows]`: 1 = positive for a probe of two classes, a number for a regression) is
 * read on training rows only.
 */
export interface ProbeColumn {
  readonly training: TrainingRows;
  readonly labels: ArrayLike<number>;
  /**
   * How often each row is there (`[rows]`, ≥ 0; default: once), as in the draws of a bootstrap: 0 is not there, 2 the same as twice, in
   * class counts, means and scalers as in the loss. A probe that cannot weigh rows refuses weights other than 0 and 1.
   */
  readonly weights?: Float64Array;
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

/**
 * A kind of linear probe, as sweeps use it. `fit` takes many columns at once, since they share every product with the layer's
 * rows. A probe that reads two classes has `target` "classes", one that predicts numbers "number".
 */
export interface Probe {
  readonly name: ProbeName;
  readonly target: "classes" | "number";
  /** Values of the strength that is chosen on inner folds (C of a logistic probe, λ of a ridge), ascending; null for a probe without one. */
  readonly C: readonly number[] | null;
  /** States space, bias and penalty, for reports. */
  readonly formula: string;
  /** Where the constant of the score comes from: fitted, half-way between the classes, or none at all. */
  readonly bias: ProbeBias;
  /** How `trainProbe` trains it, where that is not one fitted column (or one a class against the rest). */
  readonly train?: ProbeTrainer["train"];
  /** One fit per value of C (one in all without) and column: `[C][column]`. */
  fit(matrix: ProbeMatrix, columns: readonly ProbeColumn[]): Promise<ProbeFit[][]>;
  /** The same at one value of C (undefined for a probe without one): one fit per column. */
  fitAt(matrix: ProbeMatrix, columns: readonly ProbeColumn[], C: number | undefined): Promise<ProbeFit[]>;
}
