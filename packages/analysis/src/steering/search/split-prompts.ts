import { groupFolds } from "../../statistics/group-folds.ts";
import type { SteeringPrompt } from "../steering-common.ts";

/** Numbers of the prompts of each half. */
export interface PromptHalves {
  choose: number[];
  estimate: number[];
}

/**
 * Two halves of whole groups, as even in size and in expected answers as groups allow. Prompts without a group are each a group of their own.
 * Errors `too_few_groups`, `one_class`.
 */
export function splitPrompts(
  prompts: readonly { group?: string | undefined; from?: SteeringPrompt["from"] | undefined }[],
  seed: number,
): PromptHalves {
  const labels = prompts.map(({ from }) => from ?? 0);
  const foldOf = groupFolds({ groups: prompts.map(({ group }, i) => group ?? i), labels, folds: 2, seed });
  const half = (fold: number) => [...prompts.keys()].filter((prompt) => foldOf[prompt] === fold);
  return { choose: half(0), estimate: half(1) };
}
