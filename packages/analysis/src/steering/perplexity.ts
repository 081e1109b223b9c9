import type { Completion } from "@residua/lens";
import { ProbeError } from "../probes/probe-error.ts";

/** Teacher-forced log probability of a prompt's own tokens (all but the first, which nothing predicts). */
export interface TextLogProbability {
  /** Sum, in nats. */
  sum: number;
  tokens: number;
}

/** Reads a completion that was asked with `prompt_logprobs: 0`, so that each entry holds the prompt's own token only. */
export function textLogProbability(completion: Completion): TextLogProbability {
  const entries = completion.choices[0]?.prompt_logprobs;
  if (!entries) {
    throw new ProbeError(
      "bad_answer",
      "The server sent no prompt_logprobs, and perplexity needs them: leave neutral texts out.",
    );
  }
  let sum = 0;
  let tokens = 0;
  for (const [position, entry] of entries.entries()) {
    if (entry === null) continue;
    const own = Object.values(entry);
    if (own.length !== 1 || !Number.isFinite(own[0]!.logprob)) {
      throw new ProbeError(
        "bad_answer",
        `prompt_logprobs: 0 asks for one log probability a token, and position ${position} has ${own.length}.`,
        { position, entries: own.length },
      );
    }
    sum += own[0]!.logprob;
    tokens += 1;
  }
  return { sum, tokens };
}

/** exp of the mean negative log probability over all tokens of all texts; null when there is no token. */
export function perplexity(texts: readonly TextLogProbability[]): number | null {
  const tokens = texts.reduce((total, text) => total + text.tokens, 0);
  if (tokens === 0) return null;
  const nats = -texts.reduce((total, text) => total + text.sum, 0) / tokens;
  // A server floors log probabilities at −9999, and exp(9999) is no JSON number.
  return Math.exp(Math.min(nats, 700));
}
