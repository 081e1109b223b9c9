import { groupFolds } from "../../statistics/group-folds.ts";
import { ProbeError } from "../probe-error.ts";
import type { TrainingData } from "../trained/probe-trainer.ts";

const folds = 5;

/** Which rows a non-linear probe learns from, and which tell it when to stop: a fifth of the groups, never parted. */
export interface InnerRows {
  readonly learning: Uint8Array;
  readonly stopping: Uint8Array;
}

/**
 * Groups are those given, else examples, else rows; classes as even as whole groups allow. Throws ProbeError `too_few_groups` and
 * `one_class`.
 */
export function innerRows(data: TrainingData, seed: number): InnerRows {
  const groups = data.groupOf ?? data.exampleOf ?? Array.from({ length: data.rows }, (_, row) => row);
  const foldOf = stoppingFolds(groups, data.targets, seed);
  return {
    learning: Uint8Array.from(foldOf, (fold) => (fold === 0 ? 0 : 1)),
    stopping: Uint8Array.from(foldOf, (fold) => (fold === 0 ? 1 : 0)),
  };
}

/** Whoever trains chooses no folds, and can lower none. */
function stoppingFolds(groups: ArrayLike<unknown>, labels: Float64Array, seed: number): Uint8Array {
  try {
    return groupFolds({ groups, labels, folds, seed });
  } catch (error) {
    if (!(error instanceof ProbeError) || !["too_few_groups", "one_class"].includes(error.code)) throw error;
    const message = `A fifth of the groups tells this probe when to stop, so it takes ${folds} groups of each class at least (a group may hold several): collect more, or train a linear probe.`;
    throw Object.assign(new ProbeError(error.code, message, error.data), { cause: error });
  }
}
