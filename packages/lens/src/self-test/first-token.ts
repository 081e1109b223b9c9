import type { Choice } from "@residua/client";

/** Log probabilities of the likeliest first tokens (asked for with `logprobs`); undefined where the answer has none. */
export function firstToken(
  choice: Pick<Choice, "logprobs"> | undefined,
): Readonly<Record<string, number>> | undefined {
  return choice?.logprobs?.top_logprobs?.[0] ?? undefined;
}

/** The largest difference of the tokens that both list, natural logarithm; infinite where they list others. */
export function logprobDistance(
  a: Readonly<Record<string, number>> | undefined,
  b: Readonly<Record<string, number>> | undefined,
): number {
  const both = Object.keys(a ?? {}).filter((token) => b && Object.hasOwn(b, token));
  if (a === undefined || b === undefined || both.length === 0) return Infinity;
  return Math.max(...both.map((token) => Math.abs((a[token] ?? 0) - (b[token] ?? 0))));
}
