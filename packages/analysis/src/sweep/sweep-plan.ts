import { groupFolds } from "../statistics/group-folds.ts";
import type { TrainingRows } from "../probes/probe.ts";
import { ProbeError } from "../probes/probe-error.ts";

/**
 * Folds of a nested cross-validation. For outer fold i the inner folds are the other ones, so the probe fitted without
 * folds i and j serves twice: scored on j it helps to choose for i, scored on i it helps to choose for j.
 */
export interface SweepPlan {
  folds: number;
  /** Fold of each row. */
  foldOf: Uint8Array;
  /** `outer[i]`: all rows but those of fold i. */
  outer: TrainingRows[];
  /** `inner(i, j)`: all rows but those of folds i and j. */
  inner(i: number, j: number): TrainingRows;
  /** The distinct inner training sets. */
  pairs: { i: number; j: number; rows: TrainingRows }[];
}

export function sweepPlan(options: {
  groupOf: Uint32Array;
  labels: Uint8Array;
  folds: number;
  seed: number;
}): SweepPlan {
  const { folds } = options;
  if (!Number.isInteger(folds) || folds < 3) {
    throw new ProbeError(
      "bad_option",
      `folds is ${folds}: choosing on inner folds needs a whole number of at least 3.`,
      { folds },
    );
  }
  return planOfFolds(
    groupFolds({ groups: options.groupOf, labels: options.labels, folds, seed: options.seed }),
    folds,
  );
}

/** The training sets that belong to a fold for each row. */
export function planOfFolds(foldOf: Uint8Array, folds: number): SweepPlan {
  const without = (...left: number[]): TrainingRows => ({
    included: Uint8Array.from(foldOf, (fold) => (left.includes(fold) ? 0 : 1)),
  });
  const numbers = Array.from({ length: folds }, (_, fold) => fold);
  const pairs = numbers.flatMap((i) =>
    numbers.filter((j) => j > i).map((j) => ({ i, j, rows: without(i, j) })),
  );
  return {
    folds,
    foldOf,
    outer: numbers.map((fold) => without(fold)),
    pairs,
    inner: (i, j) => pairs.find((pair) => pair.i === Math.min(i, j) && pair.j === Math.max(i, j))!.rows,
  };
}
