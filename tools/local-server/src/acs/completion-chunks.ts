import { createChunkMaker, type ChunkMaker } from "../chunk-maker.ts";
import {
  completionHead,
  completionLogprobs,
  type CompletionRequest,
  completionUsage,
  echoedText,
  longestCharacter,
  type PreparedCompletion,
  type ServedModel,
  tokenNames,
} from "@residua/engine/api";
import type { Generation } from "@residua/engine";

interface CompletionChunks {
  readonly chunks: ChunkMaker;
  /** The last chunk of `include_usage`; null where it was not asked for. */
  readonly last: (generations: readonly Generation[]) => object | null;
}

export function completionChunks(
  request: CompletionRequest,
  prepared: PreparedCompletion,
  served: ServedModel,
): CompletionChunks {
  const head = completionHead(served);
  const { tokenizer } = served.model;
  const { prompts, n } = prepared;
  const name = tokenNames(tokenizer);
  /** For each choice: the tokens that it had, and where the text of the next one begins. */
  const shown = new Map<number, { before: readonly number[]; end: number }>();
  const chunks = createChunkMaker({
    n,
    begin: (p, promptLogprobs) =>
      request.echo === true
        ? {
            text: echoedText(prompts[p]!, tokenizer),
            tokens: [...prompts[p]!.tokens],
            entries: [...(promptLogprobs ?? [])],
          }
        : { text: "", tokens: [], entries: [] },
    chunk(index, { text, tokens, entries }, finishReason) {
      let logprobs: object | null = null;
      if (request.logprobs != null) {
        const { before, end } = shown.get(index) ?? { before: [], end: 0 };
        const wire = completionLogprobs({ tokens, entries, before }, request.logprobs, name, end);
        logprobs = wire.logprobs;
        shown.set(index, { before: [...before, ...tokens].slice(-longestCharacter), end: wire.end });
      }
      return { ...head, choices: [{ index, text, logprobs, finish_reason: finishReason }] };
    },
  });
  return {
    chunks,
    last: (generations) =>
      request.stream_options?.include_usage === true
        ? { ...head, choices: [], usage: completionUsage(prepared, generations) }
        : null,
  };
}
