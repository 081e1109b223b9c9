import type { Estimate } from "../../results/estimate.ts";
import type { SteeredTwins } from "../../results/steering-evaluation.ts";
import type { TwinComparison } from "../../results/steering-measures.ts";
import { bootstrapMean } from "../../statistics/intervals/bootstrap-mean.ts";
import { createRandom } from "../../statistics/random.ts";
import { meanOf } from "../prompt-frame.ts";
import type { SteeringAnswer } from "../steering-answer.ts";
import {
  isValid,
  noChoices,
  nobody,
  scoreChange,
  targetShifts,
  turned,
  type SteeringFrame,
} from "../steering-measures.ts";
import type { SteeringRun } from "../steering-runs.ts";
import { natsRounding } from "../target-shift.ts";
import { doesAsMuch } from "./does-as-much.ts";

/** The same measurement of one run; undefined where it is not defined. */
type RunMeasure = (run: SteeringRun) => number | undefined;

/** What other directions of equal norm do at one scale: means over twins, intervals over twins. */
export function measureTwins(
  frame: SteeringFrame,
  scale: number,
  /** `direction` and `twins` ran the same `prompts`, by number. */
  {
    direction,
    twins,
    prompts,
    logprobs,
  }: {
    direction: SteeringRun | undefined;
    twins: readonly SteeringRun[];
    prompts: readonly number[];
    /** Whether the twins' likeliest tokens were read, without which nothing is known of the target. */
    logprobs: boolean;
  },
): SteeredTwins {
  const overAnswers =
    (of: (answer: SteeringAnswer, prompt: number) => number | undefined): RunMeasure =>
    ({ answers }) =>
      frame.choices && meanOf(answers.map((answer, i) => of(answer, prompts[i]!)));
  const flips = overAnswers((answer, i) => turned(frame, i, answer));
  const estimate = (of: RunMeasure, absent: string) =>
    overTwins(frame, twins.map(of), frame.choices ? absent : noChoices);
  const measures: { metric: string; of: RunMeasure; rounding?: number }[] = [
    ...(frame.choices ? [{ metric: "flipped", of: flips }] : []),
    ...(frame.target && logprobs
      ? [{ metric: "target", of: targetNet(frame, prompts), rounding: natsRounding }]
      : []),
    ...frame.scorers.map(({ name }, s) => ({
      metric: name,
      of: ({ texts }: SteeringRun) =>
        meanOf(texts.map((text, i) => scoreChange(frame, text, prompts[i]!, s))),
    })),
  ];
  return {
    scale,
    count: twins.length,
    flipped: estimate(flips, "no prompt is answered as it should be at scale 0"),
    toFirst: estimate(
      overAnswers((answer, i) => turned(frame, i, answer, 1)),
      nobody(frame, 1),
    ),
    toSecond: estimate(
      overAnswers((answer, i) => turned(frame, i, answer, 0)),
      nobody(frame, 0),
    ),
    valid: estimate(overAnswers(isValid), "there is no prompt"),
    max: Math.max(0, ...twins.map((twin) => flips(twin) ?? 0)),
    comparisons: measures.map(({ metric, of, rounding }) =>
      compareTwins(frame, metric, { direction: direction && of(direction), twins: twins.map(of), rounding }),
    ),
  };
}

/** The mean net target shift of a run over these prompts. */
function targetNet(frame: SteeringFrame, prompts: readonly number[]): RunMeasure {
  return ({ answers }) => meanOf(targetShifts(frame, answers, prompts).map(({ net }) => net));
}

/**
 * How far a direction stands out of its twins: by rank, so that no distribution is assumed; a twin that differs by rounding alone does as much. What
 * counts is the size in either sense, or with `signed` the number itself. All numbers must be means that were taken in one way.
 */
export function compareTwins(
  frame: { draws: number; seed: number },
  metric: string,
  {
    direction,
    twins,
    signed = false,
    rounding,
  }: {
    direction: number | undefined;
    twins: readonly (number | undefined)[];
    signed?: boolean;
    /** What the numbers differ by without a reason. */
    rounding?: number | undefined;
  },
): TwinComparison {
  const size = signed ? (value: number) => value : Math.abs;
  const sizes = twins.filter((value) => value !== undefined).map((value) => size(value));
  const asLarge =
    direction === undefined
      ? 0
      : sizes.filter((other) => doesAsMuch(other, size(direction), rounding)).length;
  return {
    metric,
    direction: direction ?? null,
    twins: overTwins(frame, twins, "no twin has this number"),
    largest: sizes.length > 0 ? Math.max(...sizes) : null,
    asLarge,
    p: direction === undefined || sizes.length === 0 ? null : (1 + asLarge) / (1 + sizes.length),
  };
}

function overTwins(
  { draws, seed }: { draws: number; seed: number },
  values: readonly (number | undefined)[],
  absent: string,
): Estimate {
  const random = createRandom(seed, "twins bootstrap");
  const groupOf = Uint32Array.from(values.keys());
  return bootstrapMean({ values, groupOf, groups: values.length, draws, random, absent });
}
