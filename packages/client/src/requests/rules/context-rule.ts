import { between, count, plus, type Count } from "./count.ts";
import type { RequestFacts } from "./request-facts.ts";
import type { RequestRule } from "./request-rule.ts";

/**
 * Prompt and generated tokens must fit the model's context, where its length is known. Without max_tokens a server may
 * count its default of 16, or cut what it generates to what fits: both count as bounds.
 */
export function contextRule(source: string): RequestRule {
  return {
    name: "context_length",
    formula: "tokens of the longest prompt + max_tokens",
    limit: "the model's context length",
    allows: "tokens of the model's context",
    source,
    field: "max_tokens",
    hint: "shorten the prompt or lower max_tokens",
    perPrompt: true,
    measure(facts) {
      const limit = facts.contextLength();
      // Counting a text's bytes for nothing would take time.
      if (limit.most === Infinity) return { value: count(1, "token or more"), limit };
      const { max_tokens: asked } = facts.request;
      const generated =
        asked === undefined
          ? between(
              1,
              facts.maxTokens,
              "max_tokens",
              "max_tokens is left out: the server may cut it to what fits",
            )
          : count(asked, "max_tokens");
      return { value: plus([longestPrompt(facts), generated]), limit };
    },
  };
}

function longestPrompt(facts: RequestFacts): Count {
  const cut = facts.request.truncate_prompt_tokens;
  if (cut === -1) return between(0, 0, "prompt tokens (cut to what fits)", "");
  const each = facts.promptTokens().map((tokens) => (cut === undefined ? tokens : atMost(tokens, cut)));
  return each.reduce((longest, next) => (exceeds(next, longest) ? next : longest), count(0, "prompt tokens"));
}

function exceeds(a: Count, b: Count): boolean {
  return a.most > b.most || (a.most === b.most && a.least > b.least);
}

function atMost(tokens: Count, limit: number): Count {
  if (tokens.most <= limit) return tokens;
  return between(Math.min(tokens.least, limit), limit, "prompt tokens (cut)", tokens.reasons().join("; "));
}
