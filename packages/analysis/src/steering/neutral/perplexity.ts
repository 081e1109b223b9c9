import type { Completion } from "@residua/lens";
import { z } from "zod";
import { checkOptions } from "../../options/check-options.ts";
import { ProbeError } from "../../probes/probe-error.ts";

/** Teacher-forced log probability of a prompt's own tokens (all but the first, which nothing predicts). */
export interface TextLogProbability {
  /** Sum, in nats. */
  sum: number;
  tokens: number;
}

/** Reads a completion that was asked with `prompt_logprobs: 0`, so that each entry holds the prompt's own token only. */
export function textLogProbability(completion: Completion): TextLogProbability {
  const own = promptEntries(completion).map(onlyEntry);
  return { sum: own.reduce((total, { logprob }) => total + logprob, 0), tokens: own.length };
}

/** A log probability of a prompt's token, by the token's id. */
export type PromptEntry = Readonly<Record<string, { logprob: number }>>;

/** The entries of `prompt_logprobs` without those of tokens that nothing predicts. Error `bad_answer` when there are none. */
export function promptEntries(completion: Completion): PromptEntry[] {
  const entries = (completion as Completion | undefined)?.choices?.[0]?.prompt_logprobs;
  if (entries) return entries.filter((entry) => entry !== null);
  throw new ProbeError(
    "bad_answer",
    "The server sent no prompt_logprobs, and perplexity needs them: leave neutral texts out.",
  );
}

/** The only token of an entry that was asked for with `prompt_logprobs: 0`. `place` counts from the second token of the text. */
export function onlyEntry(entry: PromptEntry, place: number): { token: number; logprob: number } {
  const [own, ...others] = Object.entries(entry);
  if (own && others.length === 0 && Number.isFinite(own[1].logprob)) {
    return { token: Number(own[0]), logprob: own[1].logprob };
  }
  const entries = Object.keys(entry).length;
  throw new ProbeError(
    "bad_answer",
    `prompt_logprobs: 0 asks for one log probability a token, and position ${place + 1} has ${entries}.`,
    { position: place + 1, entries },
  );
}

const textsSchema = z.array(z.looseObject({ sum: z.number(), tokens: z.int().min(0) }));

/** exp of the mean negative log probability over all tokens of all texts; null when there is no token. Throws InvalidRequestError. */
export function perplexity(texts: readonly TextLogProbability[]): number | null {
  checkOptions(textsSchema, texts, "perplexity", "texts");
  const tokens = texts.reduce((total, text) => total + text.tokens, 0);
  if (tokens === 0) return null;
  const nats = -texts.reduce((total, text) => total + text.sum, 0) / tokens;
  // A server floors log probabilities at −9999, and exp(9999) is no JSON number.
  return Math.exp(Math.min(nats, 700));
}
