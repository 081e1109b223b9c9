import { sumUsage, type Usage, type UsageSum } from "@residua/client";

/**
 * Adds up the tokens of single requests as a request of them all would count them: each prompt once, and every choice. `part`:
 * which of the requests that a split capture needs, each of which sends the prompt.
 */
export function makeFanOutUsage(): {
  add(of: { prompt: number; part?: number; usage: Usage | null | undefined }): void;
  sum(): UsageSum;
} {
  /** Prompts whose tokens are in, by part. A prompt of one choice comes once. */
  const counted = new Set<string>();
  let total = sumUsage([]);
  return {
    add({ prompt, part = 0, usage }) {
      const key = `${prompt}:${part}`;
      const again = counted.has(key);
      const own = usage && again ? choicesOnly(usage) : usage;
      if (usage) counted.add(key);
      total = plus(total, sumUsage([{ usage: own }]));
    },
    sum: () => total,
  };
}

function choicesOnly({ completion_tokens }: Usage): Usage {
  return { prompt_tokens: 0, completion_tokens, total_tokens: completion_tokens };
}

function plus(a: UsageSum, b: UsageSum): UsageSum {
  const cached = a.cached_tokens === undefined && b.cached_tokens === undefined;
  return {
    prompt_tokens: a.prompt_tokens + b.prompt_tokens,
    completion_tokens: a.completion_tokens + b.completion_tokens,
    total_tokens: a.total_tokens + b.total_tokens,
    cached_tokens: cached ? undefined : (a.cached_tokens ?? 0) + (b.cached_tokens ?? 0),
    counted: a.counted + b.counted,
    uncounted: a.uncounted + b.uncounted,
  };
}
