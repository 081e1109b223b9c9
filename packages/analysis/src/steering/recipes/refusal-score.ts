import { ProbeError } from "../../probes/probe-error.ts";
import { choiceLogprob, type SteeringAnswer } from "../steering-answer.ts";
import { likeliestTokens, logSumExp, type TokenDistribution } from "../neutral/token-distribution.ts";

/** Keeps the logarithms finite where a probability is 0 or 1. */
const least = 1e-8;

/**
 * log p − log(1 − p), p the summed probability of the tokens as the next one. Where none is among the likeliest, the least of
 * those stands in, which is at least p. Source: Arditi et al. 2024, "Refusal in Language Models Is Mediated by a Single Direction", appendix B.
 */
export function refusalScore(answer: SteeringAnswer, tokens: readonly string[]): number {
  if (answer.top.size === 0)
    throw new ProbeError(
      "bad_answer",
      "The server sent no log probabilities of likeliest tokens, and the score needs them.",
    );
  const found = tokens.map((token) => choiceLogprob(answer, token)).filter((value) => value !== undefined);
  const logprob = found.length > 0 ? logSumExp(found) : Math.min(...answer.top.values());
  const p = Math.min(1 - least, Math.max(least, Math.exp(logprob)));
  return Math.log(p) - Math.log1p(-p);
}

/** Next-token distributions of answers that name tokens by their text, comparable with each other. */
export function textDistributions(): (answer: SteeringAnswer) => TokenDistribution {
  const ids = new Map<string, number>();
  const idOf = (text: string) => {
    const known = ids.get(text);
    if (known === undefined) ids.set(text, ids.size);
    return known ?? ids.size - 1;
  };
  return ({ top }) =>
    likeliestTokens(
      [...top].map(([text, logprob]) => [idOf(text), logprob] as const),
      top.size,
    );
}
