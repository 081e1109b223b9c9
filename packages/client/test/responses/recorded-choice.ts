import type { Choice, Completion } from "../../src/index.ts";
import { exchangeOf } from "../recordings/exchanges.ts";

/** The first choice of a recorded answer. */
export const recorded = (name: string): Choice =>
  (JSON.parse(exchangeOf(name).answer!) as Completion).choices[0]!;

/** A choice with completion-shaped log probabilities: −0.5, −1.5, … unless `more` has others. */
export const listed = (text: string, tokens: string[], more: object = {}, choice: object = {}): Choice => ({
  index: 0,
  text,
  logprobs: { tokens, token_logprobs: tokens.map((_, i) => -i - 0.5), ...more },
  ...choice,
});
