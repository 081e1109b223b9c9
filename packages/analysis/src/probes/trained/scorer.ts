/** Computes what a trained probe says of rows. */
export interface ProbeScorer {
  /** Scores of a row. */
  readonly columns: number;
  /** `[rows, columns]` of `values` (`[rows, width]`, finite), in float64. */
  score(values: Float32Array): Float64Array;
  /** Raw-space weights of a column (`[width]`); null for a probe that is not linear. */
  weights(column: number): Float64Array | null;
  /** For a probe that pools the rows of a sequence itself: its scores (`[columns]`) of all rows of `values` together. */
  readonly sequence?: (values: Float32Array) => Float64Array;
}
