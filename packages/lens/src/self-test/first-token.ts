import type { Choice } from "@residua/client";

/** Log probabilities of the likeliest first tokens (asked for with `logprobs`); undefined where the answer has none. */
export function firstToken(
  choice: Pick<Choice, "logprobs"> | undefined,
): Readonly<Record<string, number>> | undefined {
  return choice?.logprobs?.top_logprobs?.[0] ?? undefined;
}

/** The least log probability that servers send; stands for lists that have no token in common. */
const disjoint = 9999;

/** The largest difference of the tokens that both list, natural logarithm; undefined where one lists none. */
export function logprobDistance(
  a: Readonly<Record<string, number>> | undefined,
  b: Readonly<Record<string, number>> | undefined,
): number | undefined {
  if (a === undefined || b === undefined) return undefined;
  const both = Object.keys(a).filter((token) => Object.hasOwn(b, token));
  if (both.length === 0) return disjoint;
  return Math.max(...both.map((token) => Math.abs((a[token] ?? 0) - (b[token] ?? 0))));
}
