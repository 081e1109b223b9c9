import { randomBytes } from "node:crypto";
import type { Generation, Tokenizer } from "@residua/engine";
import type { CompletionRequest } from "./completion-request.ts";
import type { PreparedCompletion } from "../prepared-completion.ts";
import type { ServedModel } from "../served-model.ts";
import { atLeast, candidates, wireLogprobs } from "../wire-logprobs.ts";
import { encodeCapture } from "../wire-tensor.ts";

/** The fields that a completion begins with, and each chunk of a stream. */
export function completionHead({ checkpoint }: ServedModel) {
  return {
    id: `cmpl-${randomBytes(8).toString("hex")}`,
    object: "text_completion",
    created: Math.floor(Date.now() / 1000),
    model: checkpoint,
  };
}

/** Each prompt counts once, each choice's tokens in full. */
export function completionUsage({ prompts }: PreparedCompletion, generations: readonly Generation[]) {
  const promptTokens = prompts.reduce((sum, { tokens }) => sum + tokens.length, 0);
  const generated = generations
    .flatMap(({ choices }) => choices)
    .reduce((sum, { tokens }) => sum + tokens.length, 0);
  return {
    prompt_tokens: promptTokens,
    completion_tokens: generated,
    total_tokens: promptTokens + generated,
  };
}

/** What `echo` puts before the text of each choice. */
export function echoedText({ tokens, text }: PreparedCompletion["prompts"][number], tokenizer: Tokenizer) {
  return text ?? tokenizer.decode(tokens);
}

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
            : wireLogprobs(
                [...(echo ? prompt.tokens : []), ...choice.tokens],
                [...(echo ? promptLogprobs! : []), ...choice.logprobs!],
                request.logprobs,
                tokenizer,
              ).logprobs,
        finish_reason: choice.finishReason,
        stop_reason: choice.stopReason,
      };
      const json = JSON.stringify(shown);
      yield p + i === 0 ? json.slice(0, -1) : `,${json.slice(0, -1)}`;
      if (request.prompt_logprobs != null)
        yield* promptLogprobsJson(promptLogprobs!, request.prompt_logprobs, tokenizer);
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
  count: number,
  tokenizer: Tokenizer,
): Generator<string> {
  yield `,"prompt_logprobs":[`;
  for (const [position, entry] of promptLogprobs.entries()) {
    const byId =
      entry &&
      Object.fromEntries(
        candidates(entry, count === -1 ? Infinity : count).map(({ token, logprob, rank }) => [
          token,
          { logprob: atLeast(logprob), rank, decoded_token: tokenizer.decode([token]) },
        ]),
      );
    yield `${position === 0 ? "" : ","}${JSON.stringify(byId)}`;
  }
  yield "]";
}
