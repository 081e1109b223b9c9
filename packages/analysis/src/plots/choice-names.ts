import { ProbeError } from "../probes/probe-error.ts";
import type { SteeringEvaluation } from "../results/steering-evaluation.ts";

/** The two answers without the space around them. Error `bad_option` for an evaluation that has none: what is drawn are turned answers. */
export function choiceNames({ choices }: Pick<SteeringEvaluation, "choices">): readonly [string, string] {
  if (choices) return [choices[0].trim(), choices[1].trim()];
  throw new ProbeError(
    "bad_option",
    "This evaluation was made without choices, and what is drawn are answers turned from one to the other: evaluate with choices.",
  );
}
