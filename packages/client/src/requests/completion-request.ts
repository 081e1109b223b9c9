import type { ProfileName } from "../profiles.ts";
import type { RequestOf } from "./endpoints/endpoint.ts";
import type { acsJob } from "./endpoints/acs-job.ts";
import type { completionEndpoints } from "./endpoints/endpoints.ts";

/** The body of POST /completions of a profile, in wire names. Only what is set is sent; `undefined` counts as not set. */
export type CompletionRequest<P extends ProfileName = "acs"> = RequestOf<(typeof completionEndpoints)[P]>;

/** The body of a completion job. */
export type JobRequest = RequestOf<typeof acsJob>;

/** OpenAI's default, which a left-out `max_tokens` takes. */
export const defaultMaxTokens = 16;

type Prompts = string | readonly string[] | readonly number[] | readonly (readonly number[])[];

/** One prompt: a text, token ids, or null for one that is given as embeddings. */
export type OnePrompt = string | readonly number[] | null;

/** The prompts that a request holds, in the order of their choices. A list of token ids is one prompt. */
export function promptList(request: {
  prompt?: Prompts | null | undefined;
  prompt_embeds?: string | readonly string[] | null | undefined;
}): OnePrompt[] {
  const { prompt, prompt_embeds: embeds } = request;
  const embedded = typeof embeds === "string" ? 1 : (embeds?.length ?? 0);
  const before = Array.from({ length: embedded }, () => null);
  if (prompt === undefined || prompt === null) return embedded > 0 ? before : [""];
  if (typeof prompt === "string" || typeof prompt[0] === "number") {
    return [...before, prompt as string | readonly number[]];
  }
  return [...before, ...(prompt as readonly string[] | readonly (readonly number[])[])];
}

/** How many prompts a request asks, and how many choices of each. */
export function shapeOf(request: Parameters<typeof promptList>[0] & { n?: number | null | undefined }): {
  prompts: number;
  n: number;
} {
  return { prompts: promptList(request).length, n: request.n ?? 1 };
}
