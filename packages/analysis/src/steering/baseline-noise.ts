import type { SteeringEvaluation } from "../results/steering-evaluation.ts";
import { change, meanOf } from "./prompt-frame.ts";
import { choiceDifference } from "./steering-answer.ts";
import type { SteeringRun } from "./steering-runs.ts";
import { promptTargetShift, type TargetRule } from "./target-shift.ts";

/** How far repeats of the baseline lie from it: the first run is the baseline. */
export function baselineNoise(
  [baseline, ...repeats]: readonly SteeringRun[],
  { choices, target }: { choices: readonly [string, string] | undefined; target: TargetRule | undefined },
): SteeringEvaluation["baselineNoise"] {
  const before = baseline!.answers;
  const sizes = (of: (run: SteeringRun) => (number | undefined)[]) =>
    repeats
      .flatMap(of)
      .filter((value) => value !== undefined)
      .map(Math.abs);
  const shifts = sizes(({ answers }) =>
    choices
      ? answers.map((answer, i) =>
          change(choiceDifference(answer, choices), choiceDifference(before[i]!, choices)),
        )
      : [],
  );
  const nets = sizes(({ answers }) =>
    target ? answers.map((answer, i) => promptTargetShift(answer, before[i]!, target).net) : [],
  );
  return {
    repeats: repeats.length,
    maxShift: largest(shifts),
    meanShift: meanOf(shifts) ?? 0,
    changedAnswers: repeats.reduce(
      (sum, { answers }) => sum + answers.filter(({ choice }, i) => choice !== before[i]!.choice).length,
      0,
    ),
    maxNet: largest(nets),
    maxKl: largest(sizes(({ neutral }) => [meanOf(neutral.flatMap(({ kl }) => kl ?? []))])),
  };
}

function largest(values: readonly number[]): number {
  return values.reduce((most, value) => Math.max(most, value), 0);
}
