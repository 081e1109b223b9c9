import type { ActiveQuirks } from "../quirks/active-quirks.ts";
import { cutCaptures } from "../quirks/checks/chat-stream-cuts-capture.ts";
import { type ServedModel, tokenNames } from "@residua/engine/api";
import type { ActivationHandles } from "./activation-handles.ts";
import { activationsOf, systemFingerprint, usageOf, wholeUsage, type AnswerHead } from "./answer-parts.ts";
import type { PreparedRequest } from "./prepare-request.ts";
import type { ChatRequest } from "./request-schema.ts";
import { TokenGatherer, type StreamMaker } from "./stream-maker.ts";
import { chatLogprobs } from "./vllm-logprobs.ts";

interface ChatStreamOptions {
  readonly served: ServedModel;
  readonly head: AnswerHead;
  readonly handles: ActivationHandles;
  readonly quirks: ActiveQuirks;
}

/**
 * The events of a streamed chat completion. Each choice begins with its role; a capture is one more event at the end,
 * with every position.
 */
export function chatStream(
  request: ChatRequest,
  prepared: PreparedRequest,
  { served, head, handles, quirks }: ChatStreamOptions,
): StreamMaker {
  const name = tokenNames(served.model.tokenizer, request.return_tokens_as_token_ids === true);
  const { include_usage, continuous_usage_stats } = request.stream_options ?? {};
  const fingerprint = { system_fingerprint: systemFingerprint(served) };
  const gatherer = new TokenGatherer(request.stream_interval ?? 1);
  const ids = request.return_token_ids === true;
  const prompt = prepared.prompts[0]!.tokens;
  const usage = (generated: number) =>
    include_usage === true && continuous_usage_stats === true
      ? { usage: usageOf(prompt.length, generated) }
      : {};
  const roles = () =>
    Array.from({ length: prepared.n }, (_, index) => ({
      ...head,
      choices: [{ index, delta: { role: "assistant", content: "" }, logprobs: null, finish_reason: null }],
      ...usage(0),
      prompt_token_ids: ids ? prompt : null,
      prompt_text: null,
    }));
  let begun = false;
  return {
    prompt: () => undefined,
    token(_, generated) {
      const { choice: index, finishReason, stopReason } = generated;
      const unsent = gatherer.add(index, generated);
      if (unsent === null) return [];
      const chunk = {
        ...head,
        choices: [
          {
            index,
            delta: { content: unsent.text },
            logprobs: prepared.logprobs === null ? null : chatLogprobs(unsent, prepared.logprobs, name),
            finish_reason: finishReason,
            ...(finishReason === null ? {} : { stop_reason: stopReason }),
            token_ids: ids ? unsent.tokens : null,
          },
        ],
        ...usage(unsent.count),
        ...(finishReason !== null && include_usage !== true ? fingerprint : {}),
      };
      gatherer.taken(unsent);
      const first = begun ? [] : roles();
      begun = true;
      return [...first, chunk];
    },
    end(generations) {
      const captured = cutCaptures(generations, prompt.length, quirks);
      const activations = activationsOf(prepared, captured, handles);
      return [
        ...(include_usage === true
          ? [{ ...head, choices: [], usage: wholeUsage(prepared, generations), ...fingerprint }]
          : []),
        ...(activations === null ? [] : [{ activations }]),
      ];
    },
  };
}
