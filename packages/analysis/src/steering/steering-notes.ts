import type { SteeredScale } from "../results/steering-evaluation.ts";
import { fewGroups, fewGroupsNote } from "../statistics/intervals/cluster-bootstrap.ts";
import type { SteeringFrame } from "./steering-measures.ts";
import { meanOf } from "./prompt-frame.ts";
import { unseenChoices } from "./refuse-unanswered.ts";
import type { SteeringSettings } from "./steering-options.ts";
import type { SteeringRows } from "./steering-rows.ts";

/** What a reader of the numbers must know, in words. */
export function evaluationNotes(
  settings: SteeringSettings,
  frame: SteeringFrame,
  {
    measured,
    asExpected,
    shuffled,
  }: {
    measured: readonly SteeredScale[];
    asExpected: readonly number[];
    shuffled: readonly SteeringRows[];
  },
): string[] {
  const { prompts, twinPrompts, twins, neutral } = settings;
  const notes = groupNotes(prompts, frame.groups);
  const wrong = asExpected.filter((right) => right === 0).length;
  if (wrong > 0)
    notes.push(
      `${wrong} of ${prompts.length} prompts are not answered as they should be at scale 0; they take no part in the flips.`,
    );
  for (const choice of frame.choices ? unseenChoices(frame.choices, frame.baseline.answers) : [])
    notes.push(
      `${JSON.stringify(choice)} is among the likeliest next tokens of no prompt at scale 0: a choice must be one token, with the space that it begins with.`,
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
      `In up to ${bounded} of ${prompts.length} prompts a token of the target or a control left or entered the 20 likeliest: the least of them stands in for it, so its move is at least what is counted.`,
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
      `Only ${neutral.length} neutral ${neutral.length === 1 ? "text" : "texts"}: their intervals are too narrow below about ${fewGroups}.`,
    );
  const cosine = meanOf(shuffled.map((twin) => Math.abs(cosineOf(settings.rows, twin))));
  if (cosine !== undefined && cosine > 0.5)
    notes.push(
      `The shuffled-label twins have a mean absolute cosine of ${cosine.toFixed(2)} with the direction: the label is a main axis of these rows, and at equal norm they are much like the direction or its opposite.`,
    );
  return notes;
}

/** Over all layers at once. */
function cosineOf(one: SteeringRows, other: SteeringRows): number {
  let dot = 0;
  let squares = 0;
  for (const [layer, row] of one) {
    const twin = other.get(layer)!;
    row.forEach((value, j) => {
      dot += value * twin[j]!;
      squares += value ** 2;
    });
  }
  // Twins have the direction's norm at each layer.
  return dot / squares;
}

/** Prompts without a group, and groups too few for their intervals. */
export function groupNotes(prompts: readonly { group?: string | undefined }[], groups: number): string[] {
  const ungrouped = prompts.filter(({ group }) => group === undefined).length;
  return [
    ...(ungrouped > 0 ? [`${ungrouped} prompts have no group: each counts as a group of its own.`] : []),
    ...fewGroupsNote(groups),
  ];
}
