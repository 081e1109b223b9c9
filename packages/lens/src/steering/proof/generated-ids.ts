import type { CompletionRequest } from "@residua/client";
import type { LensCore } from "../../lens-core.ts";
import type { Capture, CapturedToken, LensOptions } from "../../lens-types.ts";

/**
 * The tokens of a capture with the ids of those generated tokens that were run. A server that tells only their texts is asked for the
 * ids of these texts behind other text; they are taken only if it cuts them into the same tokens.
 */
export async function withGeneratedIds(
  { client }: LensCore,
  { tokens, positions, model }: Capture,
  { signal }: LensOptions,
): Promise<readonly CapturedToken[]> {
  const run = tokens.slice(0, positions);
  const generated = run.filter(({ role }) => role === "generated");
  const rest = run.filter(({ role }) => role === "prompt");
  // The first token of the prompt of a text may stay unknown; then the ids of the others are of no use.
  if (generated.every(({ id }) => id !== null) || rest.some(({ id }) => id === null)) return tokens;
  const texts = generated.map(({ text }) => text);
  if (texts.some((text) => text === null || text.includes("\ufffd"))) return tokens;
  const body: CompletionRequest & { stream?: false } = {
    model,
    prompt: `${rest.at(-1)?.text ?? "."}${texts.join("")}`,
    add_special_tokens: false,
    max_tokens: 1,
    temperature: 0,
    prompt_logprobs: 0,
  };
  const { choices } = await client.completions.create(body, signal ? { signal } : {});
  const told = (choices[0]?.prompt_logprobs ?? [])
    .slice(-generated.length)
    .map((entry) => Object.entries(entry ?? {}));
  const ids = told.map((entries, i) =>
    entries.length === 1 && entries[0]?.[1].decoded_token === texts[i] ? Number(entries[0]?.[0]) : null,
  );
  if (ids.length !== generated.length || ids.some((id) => id === null)) return tokens;
  return tokens.map((token, i) =>
    token.role === "generated" && i < positions ? { ...token, id: ids[i - rest.length] ?? null } : token,
  );
}
