import type { SteeredScale } from "../results/steering-evaluation.ts";
import { fewGroups } from "../statistics/bootstrap.ts";
import type { SteeringFrame } from "./steering-measures.ts";
import type { SteeringSettings } from "./steering-options.ts";

/** What a reader of the numbers must know, in words. */
export function evaluationNotes(
  settings: SteeringSettings,
  frame: SteeringFrame,
  { measured, asExpected }: { measured: readonly SteeredScale[]; asExpected: readonly number[] },
): string[] {
  const { prompts, twinPrompts, twins, neutral } = settings;
  const notes = groupNotes(prompts, frame.groups);
  const wrong = asExpected.filter((right) => right === 0).length;
  if (wrong > 0)
    notes.push(
      `${wrong} of ${prompts.length} prompts are not answered as they should be at scale 0; they take no part in the flips.`,
    );
  if (twins > 0 && twinPrompts < prompts.length)
    notes.push(`Random twins were tried on ${twinPrompts} of ${prompts.length} prompts.`);
  if (measured.some(({ neutral }) => neutral?.lowerBound === true))
    notes.push(
      "KL of the neutral texts is over the likeliest tokens and one rest: a lower bound of that over the whole vocabulary.",
    );
  const bounded = Math.max(0, ...measured.map(({ target }) => target?.bounded ?? 0));
  if (bounded > 0)
    notes.push(
      `In up to ${bounded} of ${prompts.length} prompts a token left the 20 likeliest: the least of them stands in for it, so its fall is at least what is counted.`,
    );
  const uncontrolled = measured.find(
    ({ target }) => target !== null && (target.net.n ?? 0) < (target.shift.n ?? 0),
  );
  if (uncontrolled?.target)
    notes.push(
      `${(uncontrolled.target.shift.n ?? 0) - (uncontrolled.target.net.n ?? 0)} prompts have no two tokens about as likely as the target at scale 0: they take no part in its net shift.`,
    );
  if (neutral.length > 0 && neutral.length < fewGroups)
    notes.push(
      `Only ${neutral.length} neutral texts: their intervals are too narrow below about ${fewGroups}.`,
    );
  return notes;
}

/** Prompts without a group, and groups too few for their intervals. */
export function groupNotes(prompts: readonly { group?: string | undefined }[], groups: number): string[] {
  const ungrouped = prompts.filter(({ group }) => group === undefined).length;
  return [
    ...(ungrouped > 0 ? [`${ungrouped} prompts have no group: each counts as a group of its own.`] : []),
    ...(groups < fewGroups
      ? [`Only ${groups} groups: intervals that redraw groups are too narrow below about ${fewGroups}.`]
      : []),
  ];
}
