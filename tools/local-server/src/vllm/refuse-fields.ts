import { badRequest } from "./vllm-error.ts";
import { lensKeys } from "./lens-request.ts";

/** Fields of vLLM that ask for what this engine does not do, and the values that ask for nothing. */
const unsupported: Readonly<Record<string, readonly unknown[]>> = {
  use_beam_search: [false],
  best_of: [1],
  length_penalty: [1],
  prompt_embeds: [],
  logprob_token_ids: [],
  bad_words: [],
  structured_outputs: [],
  guided_json: [],
  guided_regex: [],
  guided_choice: [],
  guided_grammar: [],
  logits_processors: [],
  repetition_detection: [],
  thinking_token_budget: [],
  truncate_prompt_tokens: [],
  truncation_side: [],
  skip_special_tokens: [true],
  spaces_between_special_tokens: [true],
  return_token_offsets: [false],
  kv_transfer_params: [],
  ec_transfer_params: [],
  session_id: [],
  lora_request: [],
  // Of chat completions.
  tools: [],
  tool_choice: ["none", "auto"],
  reasoning_effort: [],
  documents: [],
  chat_template: [],
  mm_processor_kwargs: [],
  media_io_kwargs: [],
};

/**
 * Refuses what would be ignored in silence: fields that this engine does not do, and vllm-lens keys outside
 * `vllm_xargs`. Any other unknown field is ignored, as vLLM ignores it. Throws ApiError 400.
 */
export function refuseFields(body: object): void {
  const fields = body as Readonly<Record<string, unknown>>;
  for (const name of [...lensKeys, "extra_args"]) {
    if (fields[name] == null) continue;
    const where = name === "extra_args" ? "send its keys in vllm_xargs" : "send it in vllm_xargs";
    throw badRequest(`${name}: is no field of the body, and would be ignored; ${where}`, name);
  }
  if (fields["suffix"] != null) throw badRequest("suffix is not currently supported");
  for (const [name, harmless] of Object.entries(unsupported)) {
    const value = fields[name];
    if (value == null || harmless.includes(value) || (Array.isArray(value) && value.length === 0)) continue;
    throw badRequest(`${name}: is not supported by this server; leave it out`, name);
  }
  const format = fields["response_format"] as { type?: unknown } | null | undefined;
  if (format != null && format.type !== "text")
    throw badRequest(`response_format: only {"type": "text"} is supported by this server`, "response_format");
}
