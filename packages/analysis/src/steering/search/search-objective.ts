import type { Estimate } from "../../results/estimate.ts";
import { meanOf, promptMean } from "../prompt-frame.ts";
import { scoreChange, targetShifts, turned, type SteeringFrame } from "../steering-measures.ts";
import type { SteeringRun } from "../steering-runs.ts";
import { natsRounding } from "../target-shift.ts";
import type { SearchSettings } from "./search-options.ts";

/** What a search makes as large as possible. */
export interface SearchObjective {
  /** In words. */
  metric: string;
  /** What gains differ by without a reason: log probabilities are float32. */
  rounding?: number;
  gain(frame: SteeringFrame, run: SteeringRun): Estimate;
  mean(frame: SteeringFrame, run: SteeringRun): number | undefined;
}

export function searchObjective({ objective, aim, scorers }: SearchSettings): SearchObjective {
  const sign = aim === "lower" ? -1 : 1;
  const scorer = scorers.findIndex(({ name }) => name === objective);
  const [metric, values] = measureOf(scorer < 0 ? objective : scorer);
  const signed = (frame: SteeringFrame, run: SteeringRun) =>
    values(frame, run).map((value) => (value === undefined ? undefined : sign * value));
  return {
    metric: scorer < 0 ? metric : `change of the score ${objective}`,
    ...(objective === "target" && scorer < 0 ? { rounding: natsRounding } : {}),
    gain: (frame, run) => promptMean(frame, signed(frame, run), `no prompt has this number: ${metric}`),
    mean: (frame, run) => meanOf(signed(frame, run)),
  };
}

type PromptValues = (frame: SteeringFrame, run: SteeringRun) => (number | undefined)[];

function measureOf(objective: string | number): [metric: string, values: PromptValues] {
  if (typeof objective === "number")
    return [
      "change of a score",
      (frame, { texts }) => texts.map((text, i) => scoreChange(frame, text, i, objective)),
    ];
  if (objective === "flips")
    return [
      "share turned to the other choice",
      (frame, { answers }) => answers.map((answer, i) => turned(frame, i, answer)),
    ];
  return [
    "net shift of the target, nats",
    (frame, { answers }) => targetShifts(frame, answers).map(({ net }) => net),
  ];
}
