/** Scores of rows, one list of `[rows]` for each score column (one for two classes, one a class for more). */
export type ScoreColumns = readonly Float64Array[];

/** A convex loss of each training row's scores, summed over rows with their weights; rows that take no part count 0. */
export interface RowLoss {
  /** Score columns. */
  readonly columns: number;
  /** Σ weight · loss, in float64. */
  at(scores: ScoreColumns): number;
  /** Its derivative by each score. */
  slopes(scores: ScoreColumns): Float64Array[];
  /** Its second derivative there, as what it makes of a step of the scores. */
  curve(scores: ScoreColumns): RowCurve;
}

export interface RowCurve {
  times(steps: ScoreColumns): Float64Array[];
  /** Sum over rows of the curvature of each column by itself: how firmly a bias is held. */
  readonly totals: Float64Array;
}
