import type { Generation } from "@residua/engine";
import { type ServedModel, tokenNames } from "@residua/engine/api";
import { emptyEnd, fullUsage, systemFingerprint, type AnswerHead } from "./answer-parts.ts";
import type { PreparedRequest } from "./prepare-request.ts";
import type { ChatRequest } from "./request-schema.ts";
import { chatLogprobs, promptLogprobs } from "./vllm-logprobs.ts";

/** The JSON of a chat completion in pieces. */
export function* chatJson(
  request: ChatRequest,
  prepared: PreparedRequest,
  generations: readonly Generation[],
  { served, head, activations }: { served: ServedModel; head: AnswerHead; activations: object | null },
): Generator<string> {
  const name = tokenNames(served.model.tokenizer, request.return_tokens_as_token_ids === true);
  const ids = request.return_token_ids === true;
  const { logprobs, promptLogprobs: count } = prepared;
  const [prompt] = prepared.prompts;
  const [generation] = generations;
  yield `${JSON.stringify(head).slice(0, -1)},"choices":[`;
  for (const [index, choice] of generation!.choices.entries()) {
    const shown = { tokens: choice.tokens, entries: choice.logprobs ?? [], before: [] };
    const body = {
      index,
      message: {
        role: "assistant",
        content: choice.text,
        refusal: null,
        annotations: null,
        audio: null,
        function_call: null,
        reasoning: null,
      },
      logprobs: logprobs === null ? null : chatLogprobs(shown, logprobs, name),
      finish_reason: choice.finishReason,
      stop_reason: choice.stopReason,
      token_ids: ids ? choice.tokens : null,
      routed_experts: null,
    };
    yield `${index === 0 ? "" : ","}${JSON.stringify(body)}`;
  }
  const end = {
    service_tier: null,
    system_fingerprint: systemFingerprint(served),
    usage: fullUsage(prepared, generations),
    prompt_logprobs:
      count === null ? null : promptLogprobs([...generation!.promptLogprobs!], prompt!.tokens, count, name),
    prompt_token_ids: ids ? prompt!.tokens : null,
    prompt_text: null,
    ...emptyEnd,
    ...(activations === null ? {} : { activations }),
  };
  yield `],${JSON.stringify(end).slice(1)}`;
}
