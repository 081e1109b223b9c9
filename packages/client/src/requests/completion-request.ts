import type * as z from "zod";
import type { completionRequestSchema } from "./request-fields.ts";

/** The body of POST /completions, in wire names. Only what is set is sent; `undefined` counts as not set. */
export type CompletionRequest = z.input<typeof completionRequestSchema>;

/** A tensor as the wire carries it. `shape` is in C order; `data` is base64 of little-endian bytes. */
export type WireTensor = NonNullable<CompletionRequest["apply_steering_vectors"]>[number]["activations"];

/** An element of `apply_steering_vectors`. */
export type WireSteeringVector = NonNullable<CompletionRequest["apply_steering_vectors"]>[number];

/** OpenAI's default, which a left-out `max_tokens` takes. */
export const defaultMaxTokens = 16;

/** How many prompts a request holds. A list of token ids is one prompt. */
export function promptCount(prompt: CompletionRequest["prompt"]): number {
  return Array.isArray(prompt) && typeof prompt[0] !== "number" ? prompt.length : 1;
}

/** Prompt tokens in all where they can be counted here: token ids. Undefined for text. */
export function promptTokens(prompt: CompletionRequest["prompt"]): number | undefined {
  if (typeof prompt === "string") return undefined;
  const [first] = prompt;
  if (typeof first === "string") return undefined;
  if (typeof first === "number") return prompt.length;
  return (prompt as number[][]).reduce((sum, ids) => sum + ids.length, 0);
}
