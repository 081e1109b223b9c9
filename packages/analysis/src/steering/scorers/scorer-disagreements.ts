import type { SteeringEvaluation } from "../../results/steering-evaluation.ts";
import { promptShare, type PromptFrame } from "../prompt-frame.ts";
import type { SteeringRun } from "../steering-runs.ts";
import type { SteeringScorer } from "./steering-scorer.ts";

/** Each judge beside each other scorer: how often they say another thing of the same text. */
export function scorerDisagreements(
  frame: PromptFrame & { scorers: readonly SteeringScorer[] },
  scale: number,
  { texts }: SteeringRun,
): SteeringEvaluation["disagreements"] {
  const numbered = frame.scorers.map(({ name, kind }, place) => ({ name, kind, place }));
  const judges = numbered.filter(({ kind }) => kind === "judge");
  return judges.flatMap((judge) =>
    numbered
      .filter(({ kind }) => kind !== "judge")
      .map((other) => ({
        scorers: [other.name, judge.name] as [string, string],
        scale,
        share: promptShare(
          frame,
          texts.map(({ scores }) => {
            const [one, two] = [scores[other.place], scores[judge.place]];
            if (one === null || one === undefined || two === null || two === undefined) return undefined;
            return one >= 0.5 === two >= 0.5 ? 0 : 1;
          }),
          "no text has both scores",
        ),
      })),
  );
}
