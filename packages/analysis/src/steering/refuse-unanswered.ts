import { ProbeError } from "../probes/probe-error.ts";
import { choiceLogprob, type SteeringAnswer } from "./steering-answer.ts";
import type { CommonSettings } from "./steering-common.ts";
import type { SteeringRun } from "./steering-runs.ts";

/** The choices that no prompt has among its likeliest tokens, in any spelling. */
export function unseenChoices(choices: readonly string[], answers: readonly SteeringAnswer[]): string[] {
  return choices.filter((choice) => answers.every((answer) => choiceLogprob(answer, choice) === undefined));
}

/**
 * Refuses to go on where scale 0 shows that nothing can be measured: no prompt is answered by a choice or has a target or both choices among its likeliest
 * tokens, and nothing else is asked. Throws ProbeError `bad_option`.
 */
export function refuseUnanswered(settings: CommonSettings, { answers }: SteeringRun, what: string): void {
  const { choices, target, scorers } = settings;
  if (scorers.length > 0) return;
  const targets = target === undefined ? [] : typeof target === "string" ? [target] : target;
  const unseen = unseenChoices(targets.length > 0 ? targets : (choices ?? []), answers);
  const answered = answers.some(({ choice }) => choice !== null);
  const seen = targets.length > 0 ? unseen.length < targets.length : unseen.length === 0;
  if (answered || seen) return;
  const quoted = (texts: readonly string[]) => texts.map((text) => JSON.stringify(text)).join(", ");
  const likeliest = [...answers[0]!.top].sort((a, b) => b[1] - a[1]).slice(0, 5);
  const there =
    likeliest.length > 0
      ? `after prompts[0] the likeliest are ${quoted(likeliest.map(([token]) => token))}`
      : "the lens gave no likeliest tokens";
  throw new ProbeError(
    "bad_option",
    `${what}: at scale 0 ${choices ? `no prompt is answered by one of the choices (${quoted(choices)}), and ` : ""}${quoted(unseen)} ${unseen.length > 1 ? "are" : "is"} among the likeliest next tokens of none, so there is nothing to measure. Each must be one token, with the space that it begins with; ${there}.`,
    { unseen },
  );
}
