import { bootstrapMean } from "../statistics/intervals/bootstrap-mean.ts";
import { shareInterval } from "../statistics/intervals/share-interval.ts";
import { indexGroups } from "../statistics/group-folds.ts";
import { createRandom } from "../statistics/random.ts";
import type { Estimate } from "../results/estimate.ts";

/** The prompts of an experiment as their means are taken. */
export interface PromptFrame {
  /** Number of each prompt's group. */
  groupOf: Uint32Array;
  groups: number;
  draws: number;
  seed: number;
}

/** Prompts without a group are each a group of their own. */
export function promptFrame(
  prompts: readonly { group?: string | undefined }[],
  { draws, seed }: { draws: number; seed: number },
): PromptFrame {
  const { index, count } = indexGroups(prompts.map(({ group }, i) => group ?? i));
  return { groupOf: index, groups: count, draws, seed };
}

/** The mean over prompts of a value, with its interval over groups. */
export function promptMean(
  { groupOf, groups, draws, seed }: PromptFrame,
  values: readonly (number | null | undefined)[],
  absent: string,
): Estimate {
  return bootstrapMean({
    values: values.map((value) => value ?? undefined),
    groupOf,
    groups,
    draws,
    // The same stream for every scale: their intervals rest on the same draws.
    random: createRandom(seed, "bootstrap"),
    absent,
  });
}

/** The share of prompts that are 1, of those that are 0 or 1, with an interval that a share of none or all has too. */
export function promptShare(
  { groupOf }: PromptFrame,
  values: readonly (0 | 1 | undefined)[],
  absent: string,
): Estimate {
  const prompts = [...values.keys()].filter((prompt) => values[prompt] !== undefined);
  return shareInterval({
    hits: prompts.map((prompt) => values[prompt]!),
    groups: prompts.map((prompt) => groupOf[prompt]!),
    absent,
  });
}

/** The mean of what is defined. */
export function meanOf(values: readonly (number | null | undefined)[]): number | undefined {
  const defined = values.filter((value) => value !== undefined && value !== null);
  return defined.length > 0 ? defined.reduce((sum, value) => sum + value, 0) / defined.length : undefined;
}

export function change(
  now: number | null | undefined,
  before: number | null | undefined,
): number | undefined {
  return now === undefined || now === null || before === undefined || before === null
    ? undefined
    : now - before;
}
