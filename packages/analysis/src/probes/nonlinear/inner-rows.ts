import { groupFolds } from "../../statistics/group-folds.ts";
import type { TrainingData } from "../trained/probe-trainer.ts";

const folds = 5;

/** Which rows a non-linear probe learns from, and which tell it when to stop: a fifth of the groups, never parted. */
export interface InnerRows {
  readonly learning: Uint8Array;
  readonly stopping: Uint8Array;
}

/**
 * Groups are those given, else examples, else rows; classes as even as whole groups allow. Throws ProbeError `too_few_groups` and
 * `one_class` as `groupFolds` does.
 */
export function innerRows(data: TrainingData, seed: number): InnerRows {
  const groups = data.groupOf ?? data.exampleOf ?? Array.from({ length: data.rows }, (_, row) => row);
  const foldOf = groupFolds({ groups, labels: data.targets, folds, seed });
  return {
    learning: Uint8Array.from(foldOf, (fold) => (fold === 0 ? 0 : 1)),
    stopping: Uint8Array.from(foldOf, (fold) => (fold === 0 ? 1 : 0)),
  };
}
