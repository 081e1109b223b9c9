import { groupFolds } from "../statistics/group-folds.ts";
import type { TrainingRows } from "../probes/probe.ts";
import type { SweepTarget } from "./sweep-target.ts";

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
  /** 1 for rows that take part in no training and no choice: their labels are as if unknown. */
  without?: Uint8Array;
}

/** Whole groups dealt to folds, classes as even as groups allow. Throws ProbeError `too_few_groups`, `one_class`. */
export function sweepPlan(
  { task, labels, groupOf }: Pick<SweepTarget, "task" | "labels" | "groupOf">,
  { folds, seed }: { folds: number; seed: number },
): SweepPlan {
  const balanced = task === "number" ? {} : { labels };
  return planOfFolds(groupFolds({ groups: groupOf, ...balanced, folds, seed }), folds);
}

/** The training sets that belong to a fold for each row; rows that `without` marks are in none, and in no choice. */
export function planOfFolds(foldOf: Uint8Array, folds: number, without?: Uint8Array): SweepPlan {
  const rowsWithout = (i: number, j = i): TrainingRows => {
    const included = new Uint8Array(foldOf.length);
    for (let row = 0; row < included.length; row++) {
      const fold = foldOf[row]!;
      included[row] = fold === i || fold === j || without?.[row] ? 0 : 1;
    }
    return { included };
  };
  const numbers = Array.from({ length: folds }, (_, fold) => fold);
  const pairs = numbers.flatMap((i) =>
    numbers.filter((j) => j > i).map((j) => ({ i, j, rows: rowsWithout(i, j) })),
  );
  return {
    folds,
    foldOf,
    outer: numbers.map((fold) => rowsWithout(fold)),
    pairs,
    ...(without ? { without } : {}),
    inner: (i, j) => pairs.find((pair) => pair.i === Math.min(i, j) && pair.j === Math.max(i, j))!.rows,
  };
}
