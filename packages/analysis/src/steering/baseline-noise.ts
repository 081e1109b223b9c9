import type { SteeringEvaluation } from "../results/steering-evaluation.ts";
import { change, meanOf, promptMean, type PromptFrame } from "./prompt-frame.ts";
import { choiceDifference } from "./steering-answer.ts";
import type { SteeringRun } from "./steering-runs.ts";
import { promptTargetShift, type TargetRule } from "./target-shift.ts";

/** How far repeats of the baseline lie from it, of single prompts and of the mean over them: the first run is the baseline. */
export function baselineNoise(
  frame: PromptFrame,
  [baseline, ...repeats]: readonly SteeringRun[],
  { choices, target }: { choices: readonly [string, string] | undefined; target: TargetRule | undefined },
): SteeringEvaluation["baselineNoise"] {
  const before = baseline!.answers;
  const shifts = repeats.map(({ answers }) =>
    choices
      ? answers.map((answer, i) =>
          change(choiceDifference(answer, choices, before[i]!), choiceDifference(before[i]!, choices)),
        )
      : [],
  );
  const nets = repeats.map(({ answers }) =>
    target ? answers.map((answer, i) => promptTargetShift(answer, before[i]!, target).net) : [],
  );
  return {
    repeats: repeats.length,
    maxShift: largest(sizes(shifts.flat())),
    meanShift: meanOf(sizes(shifts.flat())) ?? 0,
    shiftOfMean: largest(shifts.map((values) => farthestMean(frame, values))),
    changedAnswers: repeats.reduce(
      (sum, { answers }) => sum + answers.filter(({ choice }, i) => choice !== before[i]!.choice).length,
      0,
    ),
    maxNet: largest(sizes(nets.flat())),
    netOfMean: largest(nets.map((values) => farthestMean(frame, values))),
    maxKl: largest(
      repeats.map(({ neutral }) => Math.abs(meanOf(neutral.flatMap(({ kl }) => kl ?? [])) ?? 0)),
    ),
  };
}

function sizes(values: readonly (number | undefined)[]): number[] {
  return values.filter((value) => value !== undefined).map(Math.abs);
}

/** The end of the mean's interval that is farther from 0; without an interval the largest of any prompt. */
function farthestMean(frame: PromptFrame, values: readonly (number | undefined)[]): number {
  const { low, high } = promptMean(frame, values, "no repeat has this number");
  return low === null || high === null ? largest(sizes(values)) : Math.max(Math.abs(low), Math.abs(high));
}

function largest(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), 0);
}
