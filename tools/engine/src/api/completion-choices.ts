import type { Generation } from "../generation-request.ts";
import { completionLogprobs, atLeast, contextAt, ownFirst } from "./wire-logprobs.ts";
import { echoedText } from "./completion-parts.ts";
import type { CompletionRequest } from "./completion-request.ts";
import type { PreparedCompletion } from "./prepared-completion.ts";
import type { ServedModel } from "./served-model.ts";
import { type TokenName, tokenNames } from "./token-name.ts";

/** A choice as an answer has it. */
interface AnsweredChoice {
  readonly shown: {
    readonly index: number;
    readonly text: string;
    readonly logprobs: object | null;
    readonly finish_reason: "stop" | "length";
    readonly stop_reason: string | number | null;
  };
  /** Its `prompt_logprobs`, entry by entry: together they may be longer than a text can be. Null where not asked for. */
  readonly promptLogprobs: Iterable<object | null> | null;
  /** Token ids. */
  readonly prompt: readonly number[];
  readonly tokens: readonly number[];
}

/** The choices of an answer in order: choice i of prompt p has the index p × n + i. */
export function* completionChoices(
  request: CompletionRequest,
  { prompts, n }: PreparedCompletion,
  generations: readonly Generation[],
  { model: { tokenizer } }: ServedModel,
): Generator<AnsweredChoice> {
  const name = tokenNames(tokenizer);
  const { prompt_logprobs: count } = request;
  for (const [p, { choices, promptLogprobs }] of generations.entries()) {
    const prompt = prompts[p]!;
    const echo = request.echo === true;
    for (const [i, choice] of choices.entries()) {
      yield {
        shown: {
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
        },
        promptLogprobs: count == null ? null : promptEntries(promptLogprobs!, prompt.tokens, count, name),
        prompt: prompt.tokens,
        tokens: choice.tokens,
      };
    }
  }
}

function* promptEntries(
  promptLogprobs: NonNullable<Generation["promptLogprobs"]>,
  prompt: readonly number[],
  count: number,
  name: TokenName,
): Generator<object | null> {
  for (const [position, entry] of promptLogprobs.entries()) {
    const before = contextAt(prompt, position);
    yield (
      entry &&
      Object.fromEntries(
        ownFirst(entry, count === -1 ? Infinity : count).map(({ token, logprob, rank }) => [
          token,
          { logprob: atLeast(logprob), rank, decoded_token: name(token, before) },
        ]),
      )
    );
  }
}
