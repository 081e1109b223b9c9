import type { Generation } from "@residua/engine";
import { completionHead, completionUsage, echoedText } from "../completion-parts.ts";
import type { CompletionRequest } from "./completion-request.ts";
import type { PreparedCompletion } from "../prepared-completion.ts";
import type { ServedModel } from "../served-model.ts";
import { tokenNames, type TokenName } from "../token-name.ts";
import { atLeast, completionLogprobs, contextAt, ownFirst } from "../wire-logprobs.ts";
import { encodeCapture } from "../wire-tensor.ts";

/**
 * The JSON of a completion in pieces: with prompt_logprobs it can be longer than a string may be.
 * Choice i of prompt p has the index p × n + i.
 */
export function* completionJson(
  request: CompletionRequest,
  prepared: PreparedCompletion,
  generations: readonly Generation[],
  served: ServedModel,
): Generator<string> {
  const { tokenizer } = served.model;
  const name = tokenNames(tokenizer);
  const { prompts, n } = prepared;
  yield `${JSON.stringify(completionHead(served)).slice(0, -1)},"choices":[`;
  for (const [p, { choices, promptLogprobs }] of generations.entries()) {
    const prompt = prompts[p]!;
    const echo = request.echo === true;
    for (const [i, choice] of choices.entries()) {
      const shown = {
        index: p * n + i,
        text: (echo ? echoedText(prompt, tokenizer) : "") + choice.text,
        logprobs:
          request.logprobs == null
            ? null
            : completionLogprobs(
                {
                  tokens: [...(echo ? prompt.tokens : []), ...choice.tokens],
                  entries: [...(echo ? promptLogprobs! : []), ...choice.logprobs!],
                  before: [],
                },
                request.logprobs,
                name,
              ).logprobs,
        finish_reason: choice.finishReason,
        stop_reason: choice.stopReason,
      };
      const json = JSON.stringify(shown);
      yield p + i === 0 ? json.slice(0, -1) : `,${json.slice(0, -1)}`;
      if (request.prompt_logprobs != null)
        yield* promptLogprobsJson(promptLogprobs!, prompt.tokens, request.prompt_logprobs, name);
      yield "}";
    }
  }
  yield `],"usage":${JSON.stringify(completionUsage(prepared, generations))}`;
  const capture = generations[0]?.capture ?? null;
  if (capture !== null) yield `,"activations":${JSON.stringify({ residual_stream: encodeCapture(capture) })}`;
  yield "}";
}

function* promptLogprobsJson(
  promptLogprobs: NonNullable<Generation["promptLogprobs"]>,
  prompt: readonly number[],
  count: number,
  name: TokenName,
): Generator<string> {
  yield `,"prompt_logprobs":[`;
  for (const [position, entry] of promptLogprobs.entries()) {
    const before = contextAt(prompt, position);
    const byId =
      entry &&
      Object.fromEntries(
        ownFirst(entry, count === -1 ? Infinity : count).map(({ token, logprob, rank }) => [
          token,
          { logprob: atLeast(logprob), rank, decoded_token: name(token, before) },
        ]),
      );
    yield `${position === 0 ? "" : ","}${JSON.stringify(byId)}`;
  }
  yield "]";
}
