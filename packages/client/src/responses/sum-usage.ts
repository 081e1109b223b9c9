import type { Usage } from "./completion.ts";

/** Tokens of several answers together. */
export interface UsageSum {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
  /** Of the prompt tokens, those that the server says it had cached; undefined when no answer said. */
  cached_tokens: number | undefined;
  /** Answers that were counted. */
  counted: number;
  /** Answers without usage, such as streams that did not ask for it: the sums lack their tokens. */
  uncounted: number;
}

/** Adds up the usage of completions, or of anything else that has one. */
export function sumUsage(answers: Iterable<{ usage?: Usage | null | undefined }>): UsageSum {
  const sum: UsageSum = {
    prompt_tokens: 0,
    completion_tokens: 0,
    total_tokens: 0,
    cached_tokens: undefined,
    counted: 0,
    uncounted: 0,
  };
  for (const { usage } of answers) {
    if (!usage) {
      sum.uncounted++;
      continue;
    }
    sum.counted++;
    sum.prompt_tokens += usage.prompt_tokens;
    sum.completion_tokens += usage.completion_tokens;
    sum.total_tokens += usage.total_tokens;
    const cached = usage.prompt_tokens_details?.["cached_tokens"];
    if (typeof cached === "number") sum.cached_tokens = (sum.cached_tokens ?? 0) + cached;
  }
  return sum;
}
