import type { CompletionRequest } from "../requests/completion-request.ts";
import type { Choice, Usage } from "../responses/completion.ts";
import { shareOut } from "./share-out.ts";

/** A request of a pack and its choices. */
interface Part {
  request: CompletionRequest;
  choices: readonly Choice[];
}

/**
 * A pack's usage shared out, so that the shares add up to it. The tokens of a choice are known from its token ids, its log
 * probabilities (without echo), or from `finish_reason: "length"`; where all are known, or those of one request only are not,
 * the share is exact. What remains is shared by length of text.
 */
export function shareUsage(usage: Usage, parts: readonly Part[]): { usage: Usage; exact: boolean }[] {
  const prompts = shareOut(
    usage.prompt_tokens,
    parts.map(({ request: { prompt } }) => (typeof prompt === "string" ? prompt.length + 1 : prompt.length)),
  );
  const counts = parts.map(countTokens);
  const known = counts.map(({ known }) => known).reduce((a, b) => a + b, 0);
  const guessed = counts.filter(({ text }) => text !== undefined).length;
  const rest = usage.completion_tokens - known;
  const fits = guessed > 0 ? rest >= 0 : rest === 0;
  const spread = fits
    ? shareOut(
        rest,
        counts.map(({ text }) => text ?? 0),
      ).map((more, i) => more + (counts[i]?.known ?? 0))
    : shareOut(
        usage.completion_tokens,
        counts.map(({ known, text = 0 }) => known + text),
      );
  return counts.map(({ text }, i) => {
    const prompt_tokens = prompts[i] ?? 0;
    const completion_tokens = spread[i] ?? 0;
    return {
      usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
      exact: fits && (text === undefined || guessed === 1),
    };
  });
}

/** Tokens that are surely there, and the length of the text whose tokens nobody counted (undefined: none). */
function countTokens({ request, choices }: Part): { known: number; text: number | undefined } {
  let known = 0;
  let text: number | undefined;
  for (const choice of choices) {
    const tokens = tokensOf(choice, request);
    if (tokens !== undefined) known += tokens;
    else text = (text ?? 0) + choice.text.length + 1;
  }
  return { known, text };
}

function tokensOf(choice: Choice, { echo, max_tokens: most }: CompletionRequest): number | undefined {
  if (choice.token_ids) return choice.token_ids.length;
  const listed = choice.logprobs?.tokens ?? choice.logprobs?.content;
  if (echo !== true && listed) return listed.length;
  return choice.finish_reason === "length" ? (most ?? undefined) : undefined;
}
