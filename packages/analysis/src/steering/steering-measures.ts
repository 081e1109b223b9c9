import { bootstrapMean } from "../statistics/bootstrap.ts";
import { perplexity } from "./perplexity.ts";
import { createRandom } from "../statistics/random.ts";
import type { Estimate } from "../results/estimate.ts";
import type { SteeredScale, SteeredTwins, SteeringEvaluation } from "../results/steering-evaluation.ts";
import { choiceDifference, controlTokens } from "./steering-answer.ts";
import type { SteeringAnswer } from "./steering-answer.ts";
import type { SteeringRun } from "./steering-runs.ts";

/** What every measure of an experiment shares. */
export interface SteeringFrame {
  choices: readonly [string, string];
  /** Choice that each prompt should get at scale 0. */
  from: readonly (0 | 1)[];
  /** Number of each prompt's group. */
  groupOf: Uint32Array;
  groups: number;
  baseline: SteeringRun;
  noise: SteeringEvaluation["baselineNoise"];
  draws: number;
  seed: number;
}

/** The mean over prompts of a value, with its interval over groups. */
export function promptMean(
  frame: SteeringFrame,
  values: readonly (number | undefined)[],
  absent: string,
): Estimate {
  const { groupOf, groups, draws, seed } = frame;
  // The same stream for every scale: their intervals rest on the same draws.
  return bootstrapMean({ values, groupOf, groups, draws, random: createRandom(seed, "bootstrap"), absent });
}

/** 1 when a prompt that was rightly answered at scale 0 now gets the other choice, 0 when not, undefined when it takes no part. */
function turned(
  frame: SteeringFrame,
  prompt: number,
  answer: SteeringAnswer,
  from?: 0 | 1,
): number | undefined {
  const own = frame.from[prompt]!;
  if ((from !== undefined && own !== from) || frame.baseline.answers[prompt]!.choice !== own)
    return undefined;
  return answer.choice === 1 - own ? 1 : 0;
}

const nobody = (choice: string) =>
  `no prompt that should be answered ${JSON.stringify(choice)} is answered so at scale 0`;

/** Everything that is measured at one scale of the direction. */
export function measureScale(frame: SteeringFrame, scale: number, run: SteeringRun): SteeredScale {
  const { choices, baseline, noise } = frame;
  const flips = (from: 0 | 1) =>
    promptMean(
      frame,
      run.answers.map((answer, i) => turned(frame, i, answer, from)),
      nobody(choices[from]),
    );
  const shift = promptMean(
    frame,
    run.answers.map((answer, i) =>
      change(choiceDifference(answer, choices), choiceDifference(baseline.answers[i]!, choices)),
    ),
    "no prompt has both choices among its likeliest tokens at both scales",
  );
  const small = shift.value !== null && Math.abs(shift.value) <= noise.maxShift;
  return {
    scale,
    toFirst: flips(1),
    toSecond: flips(0),
    valid: promptMean(
      frame,
      run.answers.map(({ choice }) => (choice === null ? 0 : 1)),
      "there is no prompt",
    ),
    shift,
    controlShift: controlShift(frame, run),
    perplexity: perplexityOf(frame, run),
    ...(small ? { verdict: "no difference: the shift lies inside the noise of the repeated baseline" } : {}),
  };
}

function change(now: number | undefined, before: number | undefined): number | undefined {
  return now === undefined || before === undefined ? undefined : now - before;
}

function controlShift(frame: SteeringFrame, run: SteeringRun): Estimate {
  const values = run.answers.map((answer, i) => {
    const baseline = frame.baseline.answers[i]!;
    const pair = controlTokens(baseline, frame.choices);
    return pair && change(choiceDifference(answer, pair), choiceDifference(baseline, pair));
  });
  return promptMean(frame, values, "no prompt has two other tokens among its likeliest at both scales");
}

function perplexityOf(frame: SteeringFrame, run: SteeringRun): SteeredScale["perplexity"] {
  const value = perplexity(run.texts);
  const before = perplexity(frame.baseline.texts);
  if (value === null || before === null) return null;
  return { value, ratio: value / before, tokens: run.texts.reduce((sum, text) => sum + text.tokens, 0) };
}

/** What random directions of equal norm do at one scale: means over twins, intervals over twins. */
export function measureTwins(
  frame: SteeringFrame,
  scale: number,
  options: { twins: readonly SteeringAnswer[][]; prompts: readonly number[] },
): SteeredTwins {
  const { twins, prompts } = options;
  const { draws, seed, choices } = frame;
  const overTwins = (of: (answer: SteeringAnswer, prompt: number) => number | undefined, absent: string) => {
    const values = twins.map((answers) => mean(answers.map((answer, i) => of(answer, prompts[i]!))));
    const groupOf = Uint32Array.from(twins.keys());
    const random = createRandom(seed, "twins bootstrap");
    return {
      values,
      estimate: bootstrapMean({ values, groupOf, groups: twins.length, draws, random, absent }),
    };
  };
  const flipped = overTwins(
    (answer, i) => turned(frame, i, answer),
    "no prompt is answered as it should be at scale 0",
  );
  return {
    scale,
    count: twins.length,
    flipped: flipped.estimate,
    toFirst: overTwins((answer, i) => turned(frame, i, answer, 1), nobody(choices[1])).estimate,
    toSecond: overTwins((answer, i) => turned(frame, i, answer, 0), nobody(choices[0])).estimate,
    valid: overTwins(({ choice }) => (choice === null ? 0 : 1), "there is no prompt").estimate,
    max: Math.max(0, ...flipped.values.filter((value) => value !== undefined)),
  };
}

function mean(values: readonly (number | undefined)[]): number | undefined {
  const defined = values.filter((value) => value !== undefined);
  return defined.length > 0 ? defined.reduce((sum, value) => sum + value, 0) / defined.length : undefined;
}

/** How far repeats of the baseline lie from it. */
export function baselineNoise(
  choices: readonly [string, string],
  [baseline, ...repeats]: readonly SteeringRun[],
): SteeringEvaluation["baselineNoise"] {
  const before = baseline!.answers;
  const shifts = repeats.flatMap(({ answers }) =>
    answers
      .map((answer, i) => change(choiceDifference(answer, choices), choiceDifference(before[i]!, choices)))
      .filter((shift) => shift !== undefined)
      .map(Math.abs),
  );
  return {
    repeats: repeats.length,
    maxShift: shifts.reduce((largest, shift) => Math.max(largest, shift), 0),
    meanShift: mean(shifts) ?? 0,
    changedAnswers: repeats.reduce(
      (sum, { answers }) => sum + answers.filter(({ choice }, i) => choice !== before[i]!.choice).length,
      0,
    ),
  };
}
