import type { GeneratedToken, Generation, PositionLogprobs } from "@residua/engine";
import { createChunkMaker, type ChunkMaker } from "../chunk-maker.ts";
import {
  completionHead,
  echoedText,
  type PreparedCompletion,
  type ServedModel,
  usageOf,
} from "@residua/engine/api";
import { chatLogprob, type ChatLogprobEntry } from "./chat-logprobs.ts";
import type { OctoaiRequest } from "./octoai-request.ts";
import { showsPrompt } from "./prepare-octoai.ts";
import { systemFingerprint } from "./system-fingerprint.ts";

const headOf = (served: ServedModel) => ({
  ...completionHead(served),
  system_fingerprint: systemFingerprint(served),
});

/** What a choice begins with: the first token of a prompt has no log probability, and no entry. */
function beginning(
  request: OctoaiRequest,
  prompt: PreparedCompletion["prompts"][number],
  promptLogprobs: Generation["promptLogprobs"],
  { model: { tokenizer } }: ServedModel,
) {
  return {
    text: request.echo === true ? echoedText(prompt, tokenizer) : "",
    entries: showsPrompt(request) ? [...promptLogprobs!].slice(1) : [],
  };
}

const asksLogprobs = (request: OctoaiRequest) => request.logprobs != null || showsPrompt(request);

/** The JSON of a completion in pieces: with many log probabilities it can be longer than a string may be. */
export function* octoaiJson(
  request: OctoaiRequest,
  prepared: PreparedCompletion,
  generations: readonly Generation[],
  { served, generatedTokens }: { served: ServedModel; generatedTokens: number },
): Generator<string> {
  yield `${JSON.stringify(headOf(served)).slice(0, -1)},"choices":[`;
  for (const [p, { choices, promptLogprobs }] of generations.entries()) {
    const { text, entries } = beginning(request, prepared.prompts[p]!, promptLogprobs, served);
    for (const [i, choice] of choices.entries()) {
      const shown = {
        index: p * prepared.n + i,
        text: text + choice.text,
        finish_reason: choice.finishReason,
      };
      yield `${p + i === 0 ? "" : ","}${JSON.stringify(shown).slice(0, -1)},"logprobs":`;
      yield* logprobsJson(request, [...entries, ...(choice.logprobs ?? [])], served);
      yield "}";
    }
  }
  yield `],"usage":${JSON.stringify(usageOf(prepared, generatedTokens))}}`;
}

function* logprobsJson(
  request: OctoaiRequest,
  entries: readonly (PositionLogprobs | null)[],
  served: ServedModel,
): Generator<string> {
  if (!asksLogprobs(request)) {
    yield "null";
    return;
  }
  yield `{"content":[`;
  let comma = "";
  for (const entry of content(request, entries, served)) {
    yield comma + JSON.stringify(entry);
    comma = ",";
  }
  yield "]}";
}

function* content(
  request: OctoaiRequest,
  entries: readonly (PositionLogprobs | null)[],
  { model: { tokenizer } }: ServedModel,
): Generator<ChatLogprobEntry> {
  for (const entry of entries) {
    if (entry !== null) yield chatLogprob(entry, request.logprobs ?? 0, tokenizer);
  }
}

/** The chunks of a stream, each of the shape of a whole completion; the last has the usage where it was asked for. */
export function octoaiChunks(
  request: OctoaiRequest,
  prepared: PreparedCompletion,
  served: ServedModel,
): ChunkMaker {
  const head = headOf(served);
  const { prompts, n } = prepared;
  let generatedTokens = 0;
  let unfinished = prompts.length * n;
  const usage = (finishReason: GeneratedToken["finishReason"]) => {
    if (finishReason === null || --unfinished > 0 || request.stream_options?.include_usage !== true)
      return {};
    return { usage: usageOf(prepared, generatedTokens) };
  };
  return createChunkMaker({
    n,
    begin: (p, promptLogprobs) => ({
      ...beginning(request, prompts[p]!, promptLogprobs, served),
      tokens: [],
    }),
    chunk(index, { text, tokens, entries }, finishReason) {
      generatedTokens += tokens.length;
      const logprobs = asksLogprobs(request) ? { content: [...content(request, entries, served)] } : null;
      const choice = { index, text, finish_reason: finishReason, logprobs };
      return { ...head, choices: [choice], ...usage(finishReason) };
    },
  });
}
