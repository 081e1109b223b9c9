import type { Generation } from "@residua/engine";
import { completionLogprobs, type ServedModel, type ShownTokens, tokenNames } from "@residua/engine/api";
import { emptyEnd, fullUsage, systemFingerprint, type AnswerHead } from "./answer-parts.ts";
import type { PreparedRequest } from "./prepare-request.ts";
import type { CompletionRequest } from "./request-schema.ts";
import { promptLogprobs } from "./vllm-logprobs.ts";

/** With echo and max_tokens 0 the prompt is shown and nothing else, though one token is run. */
export function promptOnly(request: CompletionRequest): boolean {
  return request.echo === true && request.max_tokens === 0;
}

/** What `echo` puts before the text of each choice: nothing where the ids are returned, as vLLM does. */
export function echoedPrompt(
  request: CompletionRequest,
  { tokens, text }: PreparedRequest["prompts"][number],
  { model }: ServedModel,
): string {
  if (request.echo !== true || request.return_token_ids === true) return "";
  return text ?? model.tokenizer.decode(tokens);
}

/** The JSON of a completion in pieces: with log probabilities it can be long. Choice i of prompt p has index p × n + i. */
export function* completionJson(
  request: CompletionRequest,
  prepared: PreparedRequest,
  generations: readonly Generation[],
  { served, head, activations }: { served: ServedModel; head: AnswerHead; activations: object | null },
): Generator<string> {
  const name = tokenNames(served.model.tokenizer, request.return_tokens_as_token_ids === true);
  const ids = request.return_token_ids === true;
  yield `${JSON.stringify(head).slice(0, -1)},"choices":[`;
  for (const [p, { choices, promptLogprobs: promptEntries }] of generations.entries()) {
    const prompt = prepared.prompts[p]!;
    const echoed = echoedPrompt(request, prompt, served);
    for (const [i, choice] of choices.entries()) {
      const own: ShownTokens = promptOnly(request)
        ? { tokens: [], entries: [], before: [] }
        : { tokens: choice.tokens, entries: choice.logprobs ?? [], before: [] };
      const shown: ShownTokens =
        request.echo === true
          ? {
              tokens: [...prompt.tokens, ...own.tokens],
              entries: [...(promptEntries ?? []), ...own.entries],
              before: [],
            }
          : own;
      const { logprobs, promptLogprobs: count } = prepared;
      const body = {
        index: p * prepared.n + i,
        text: echoed + (promptOnly(request) ? "" : choice.text),
        logprobs: logprobs === null ? null : completionLogprobs(shown, logprobs, name).logprobs,
        finish_reason: choice.finishReason,
        stop_reason: choice.stopReason,
        token_ids: ids ? choice.tokens : null,
        prompt_logprobs:
          count === null ? null : promptLogprobs([...promptEntries!], prompt.tokens, count, name),
        prompt_token_ids: ids ? prompt.tokens : null,
        routed_experts: null,
      };
      yield `${p + i === 0 ? "" : ","}${JSON.stringify(body)}`;
    }
  }
  const end = {
    service_tier: null,
    system_fingerprint: systemFingerprint(served),
    usage: fullUsage(prepared, generations),
    ...emptyEnd,
    ...(activations === null ? {} : { activations }),
  };
  yield `],${JSON.stringify(end).slice(1)}`;
}
