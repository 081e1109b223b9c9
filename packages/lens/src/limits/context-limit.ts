import type { ModelDescription } from "@residua/client";
import type { TokenBounds } from "./capture-limit.ts";

/** A capture whose tokens are counted, as far as they can be. */
interface Counted {
  readonly model: Pick<ModelDescription, "contextLength">;
  readonly tokens: TokenBounds;
  readonly request: { readonly max_tokens: number; readonly truncate_prompt_tokens?: unknown };
}

/**
 * Whether prompt and generated tokens have room in the model's context, where its length is known. The client refuses what has
 * none when it is sent; this says it before. What was merely observed is no limit.
 */
export function judgeContext({ model, tokens, request }: Counted): {
  fits: "fits" | "unknown" | "never";
  requests: readonly [];
  reason?: string;
} {
  const { value: length, source } = model.contextLength;
  const { max_tokens: maxTokens, truncate_prompt_tokens: cut } = request;
  // vLLM cuts such a prompt before it counts.
  if (length === undefined || source === "observed" || (cut ?? undefined) !== undefined)
    return { fits: "fits", requests: [] };
  if (tokens.most + maxTokens <= length) return { fits: "fits", requests: [] };
  const never = tokens.least + maxTokens > length;
  const exact = tokens.least === tokens.most;
  const count = never ? tokens.least : tokens.most;
  const bound = exact ? "" : never ? "at least " : "at most ";
  const reason =
    `${bound}${count} prompt tokens + ${maxTokens} max_tokens = ${count + maxTokens}, over the ${length} tokens of the model's context ` +
    "(shorten the prompt or lower max_tokens)";
  return { fits: never ? "never" : "unknown", requests: [], reason };
}
