import type { SteeringEvaluation } from "../results/steering-evaluation.ts";

/** The two answers without the space around them; general words where an evaluation has none. */
export function choiceNames({ choices }: Pick<SteeringEvaluation, "choices">): readonly [string, string] {
  return choices ? [choices[0].trim(), choices[1].trim()] : ["the first answer", "the second answer"];
}
