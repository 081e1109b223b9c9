import type { Estimate } from "../results/estimate.ts";
import type { SteeredScale, SteeringEvaluation } from "../results/steering-evaluation.ts";
import type { ScorerResult, TargetShift } from "../results/steering-measures.ts";
import { damageOf, type DamageLimits } from "./damage/damage-limits.ts";
import { steeredLoops } from "./damage/steered-loops.ts";
import { neutralShift } from "./neutral/neutral-shift.ts";
import { perplexityShift } from "./neutral/perplexity-shift.ts";
import { change, meanOf, promptMean, promptShare, type PromptFrame } from "./prompt-frame.ts";
import type { SteeringScorer } from "./scorers/steering-scorer.ts";
import { choiceDifference, controlTokens, type SteeringAnswer } from "./steering-answer.ts";
import type { SteeringRun } from "./steering-runs.ts";
import { natsRounding, promptTargetShift, type PromptTargetShift, type TargetRule } from "./target-shift.ts";

/** What every measure of an experiment shares. */
export interface SteeringFrame extends PromptFrame {
  choices: readonly [string, string] | undefined;
  /** Choice that each prompt should get at scale 0. */
  from: readonly (0 | 1 | undefined)[];
  target: TargetRule | undefined;
  scorers: readonly SteeringScorer[];
  limits: DamageLimits;
  baseline: SteeringRun;
  noise: SteeringEvaluation["baselineNoise"];
}

/** 1 when a prompt that was rightly answered at scale 0 now gets the other choice, 0 when not, undefined when it takes no part. */
export function turned(
  frame: SteeringFrame,
  prompt: number,
  answer: SteeringAnswer,
  from?: 0 | 1,
): 0 | 1 | undefined {
  const own = frame.from[prompt];
  if (own === undefined || (from !== undefined && own !== from)) return undefined;
  if (frame.baseline.answers[prompt]?.choice !== own) return undefined;
  return answer.choice === 1 - own ? 1 : 0;
}

export function nobody({ choices }: SteeringFrame, from: 0 | 1): string {
  return choices
    ? `no prompt that should be answered ${JSON.stringify(choices[from])} is answered so at scale 0`
    : noChoices;
}

export const noChoices = "no choices were given";

/** Share of valid answers and of looping texts at scale 0, which damage is more than. */
function baselineDamage(frame: SteeringFrame): { valid: number | null; looping: number | null } {
  const { answers, texts } = frame.baseline;
  return {
    valid: frame.choices ? (meanOf(answers.map(isValid)) ?? null) : null,
    looping: meanOf(texts.map(({ looping }) => (looping ? 1 : 0))) ?? null,
  };
}

export const isValid = ({ choice }: SteeringAnswer) => (choice === null ? 0 : 1);

/** Everything that is measured at one scale of the direction. */
export function measureScale(frame: SteeringFrame, scale: number, run: SteeringRun): SteeredScale {
  const { choices, baseline, noise, limits } = frame;
  const { answers } = run;
  const over =
    <T>(estimate: (frame: PromptFrame, values: readonly T[], absent: string) => Estimate) =>
    (of: (answer: SteeringAnswer, prompt: number) => T, absent: string) =>
      estimate(frame, choices ? answers.map(of) : [], choices ? absent : noChoices);
  const [meanOver, shareOver] = [over(promptMean), over(promptShare)];
  const shift = meanOver(
    (answer, i) =>
      change(
        choiceDifference(answer, choices!, baseline.answers[i]),
        choiceDifference(baseline.answers[i]!, choices!),
      ),
    "no prompt has both choices among its likeliest tokens at both scales",
  );
  const target = targetShift(frame, answers);
  const small = shift.value !== null && Math.abs(shift.value) <= noise.shiftOfMean;
  const measured = {
    scale,
    toFirst: shareOver((answer, i) => turned(frame, i, answer, 1), nobody(frame, 1)),
    toSecond: shareOver((answer, i) => turned(frame, i, answer, 0), nobody(frame, 0)),
    valid: shareOver(isValid, "there is no prompt"),
    shift,
    controlShift: meanOver(
      (answer, i) => controlShift(frame, answer, i),
      "no prompt has two other tokens among its likeliest at both scales",
    ),
    target,
    perplexity: perplexityShift(frame, run.neutral, baseline.neutral),
    neutral: neutralShift(frame, run.neutral),
    loops: steeredLoops(frame, run.texts),
    scorers: scorerResults(frame, run),
  };
  return {
    ...measured,
    damage: scale === 0 ? [] : damageOf(measured, baselineDamage(frame), limits),
    ...(small ? { verdict: "no difference: the shift lies inside the noise of the repeated baseline" } : {}),
  };
}

function controlShift({ choices, baseline }: SteeringFrame, answer: SteeringAnswer, prompt: number) {
  const before = baseline.answers[prompt]!;
  const pair = controlTokens(before, choices!);
  return pair && change(choiceDifference(answer, pair, before), choiceDifference(before, pair));
}

/** How the target moves in each prompt; none where there is no target. */
export function targetShifts(
  frame: SteeringFrame,
  answers: readonly SteeringAnswer[],
  prompts?: readonly number[],
): PromptTargetShift[] {
  const { target, baseline } = frame;
  if (!target) return [];
  return answers.map((answer, i) =>
    promptTargetShift(answer, baseline.answers[prompts ? prompts[i]! : i]!, target),
  );
}

function targetShift(frame: SteeringFrame, answers: readonly SteeringAnswer[]): TargetShift | null {
  if (!frame.target) return null;
  const shifts = targetShifts(frame, answers);
  const absent = "no prompt has the target among its likeliest tokens at scale 0";
  const uncontrolled = `no prompt has two other tokens within ${frame.target.gap} nats of the target at scale 0`;
  const net = promptMean(
    frame,
    shifts.map(({ net }) => net),
    uncontrolled,
  );
  const verdict = targetVerdict(net, frame.noise.netOfMean);
  return {
    shift: promptMean(
      frame,
      shifts.map(({ shift }) => shift),
      absent,
    ),
    controls: promptMean(
      frame,
      shifts.map(({ controls }) => controls),
      uncontrolled,
    ),
    net,
    gap: meanOf(shifts.map(({ gap }) => gap)) ?? null,
    bounded: shifts.filter(({ bounded }) => bounded).length,
    ...(verdict === undefined ? {} : { verdict }),
  };
}

function targetVerdict({ value, low, high }: Estimate, noise: number): string | undefined {
  if (value === null) return undefined;
  if (Math.abs(value) <= noise)
    return "no difference: the net shift lies inside the noise of the repeated baseline";
  const around = low !== null && high !== null && low <= 0 && high >= 0;
  return around || Math.abs(value) <= natsRounding
    ? "no effect on the target: tokens that were as likely move as much"
    : undefined;
}

function scorerResults(frame: SteeringFrame, { texts }: SteeringRun): ScorerResult[] {
  return frame.scorers.map(({ name, kind }, s) => {
    const absent = `the scorer ${name} gave no text a score`;
    return {
      name,
      kind,
      score: promptMean(
        frame,
        texts.map(({ scores }) => scores[s]),
        absent,
      ),
      change: promptMean(
        frame,
        texts.map((text, i) => scoreChange(frame, text, i, s)),
        absent,
      ),
    };
  });
}

export function scoreChange(
  { baseline }: SteeringFrame,
  text: SteeringRun["texts"][number],
  prompt: number,
  scorer: number,
) {
  return change(text.scores[scorer], baseline.texts[prompt]!.scores[scorer]);
}
