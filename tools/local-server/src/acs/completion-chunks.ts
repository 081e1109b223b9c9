import { createChunkMaker, type ChunkMaker } from "../chunk-maker.ts";
import { completionHead, completionUsage, echoedText } from "../completion-parts.ts";
import type { PreparedCompletion } from "../prepared-completion.ts";
import type { ServedModel } from "../served-model.ts";
import { wireLogprobs } from "../wire-logprobs.ts";
import type { CompletionRequest } from "./completion-request.ts";
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
  /** Where the next log probability's text begins, for each choice. */
  const offsets = new Map<number, number>();
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
        const wire = wireLogprobs(tokens, entries, request.logprobs, tokenizer, offsets.get(index));
        logprobs = wire.logprobs;
        offsets.set(index, wire.end);
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
