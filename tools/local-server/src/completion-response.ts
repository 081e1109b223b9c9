import { randomBytes } from "node:crypto";
import type { GeneratedChoice, Generation, PositionLogprobs, Tokenizer } from "@residua/engine";
import type { CompletionRequest } from "./completion-request.ts";
import type { PreparedCompletion } from "./prepare-completion.ts";
import type { ServedModel } from "./served-model.ts";
import { encodeCapture } from "./wire-tensor.ts";

/** The lowest log probability that JSON carries. */
const logprobFloor = -9999;
const atLeast = (logprob: number) => Math.max(logprob, logprobFloor);

/**
 * The JSON of a completion in pieces: with prompt_logprobs it can be longer than a string may be.
 * Choice i of prompt p has the index p × n + i.
 */
export function* completionJson(
  request: CompletionRequest,
  { prompts, n }: PreparedCompletion,
  generations: readonly Generation[],
  { checkpoint, model: { tokenizer } }: ServedModel,
): Generator<string> {
  const head = {
    id: `cmpl-${randomBytes(8).toString("hex")}`,
    object: "text_completion",
    created: Math.floor(Date.now() / 1000),
    model: checkpoint,
  };
  yield `${JSON.stringify(head).slice(0, -1)},"choices":[`;
  for (const [p, generation] of generations.entries()) {
    const { tokens, text } = prompts[p]!;
    const echoed = request.echo === true ? (text ?? tokenizer.decode(tokens)) : "";
    for (const [i, choice] of generation.choices.entries()) {
      const shown = {
        index: p * n + i,
        text: echoed + choice.text,
        logprobs: choiceLogprobs(request, tokens, generation, choice, tokenizer),
        finish_reason: choice.finishReason,
        stop_reason: choice.stopReason,
      };
      const json = JSON.stringify(shown);
      yield p + i === 0 ? json.slice(0, -1) : `,${json.slice(0, -1)}`;
      if (request.prompt_logprobs != null)
        yield* promptLogprobsJson(generation, request.prompt_logprobs, tokenizer);
      yield "}";
    }
  }
  const promptTokens = prompts.reduce((sum, { tokens }) => sum + tokens.length, 0);
  const generated = generations
    .flatMap(({ choices }) => choices)
    .reduce((sum, { tokens }) => sum + tokens.length, 0);
  const usage = {
    prompt_tokens: promptTokens,
    completion_tokens: generated,
    total_tokens: promptTokens + generated,
  };
  yield `],"usage":${JSON.stringify(usage)}`;
  const capture = generations[0]?.capture ?? null;
  if (capture !== null) yield `,"activations":${JSON.stringify({ residual_stream: encodeCapture(capture) })}`;
  yield "}";
}

/** The `logprobs` object of a choice: one entry a token, the prompt's first when it is echoed. */
function choiceLogprobs(
  request: CompletionRequest,
  prompt: readonly number[],
  { promptLogprobs }: Generation,
  choice: GeneratedChoice,
  tokenizer: Tokenizer,
): object | null {
  const count = request.logprobs;
  if (count == null || choice.logprobs === null) return null;
  const echoed = request.echo === true ? promptLogprobs! : [];
  const entries = [...echoed, ...choice.logprobs];
  const tokens = [...(request.echo === true ? prompt : []), ...choice.tokens].map((token) =>
    tokenizer.decode([token]),
  );
  let offset = 0;
  return {
    text_offset: tokens.map((text) => {
      const start = offset;
      offset += [...text].length;
      return start;
    }),
    tokens,
    token_logprobs: entries.map((entry) => entry && atLeast(entry.logprob)),
    top_logprobs: entries.map((entry) => entry && topByText(entry, count, tokenizer)),
  };
}

/** Keyed by text: ids that decode to one text fall together, the likeliest stays. The token itself is always in. */
function topByText(entry: PositionLogprobs, count: number, tokenizer: Tokenizer): object {
  const byText = new Map<string, number>();
  for (const { token, logprob } of candidates(entry, count)) {
    const text = tokenizer.decode([token]);
    if (!byText.has(text)) byText.set(text, atLeast(logprob));
  }
  return Object.fromEntries(byText);
}

function* promptLogprobsJson(
  { promptLogprobs }: Generation,
  count: number,
  tokenizer: Tokenizer,
): Generator<string> {
  yield `,"prompt_logprobs":[`;
  for (const [position, entry] of promptLogprobs!.entries()) {
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

/** The `count` likeliest tokens, and the position's own when it is not among them. */
function candidates(entry: PositionLogprobs, count: number) {
  const top = entry.top.slice(0, count);
  return top.some(({ token }) => token === entry.token) ? top : [...top, entry];
}
