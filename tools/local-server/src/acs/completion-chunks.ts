import type { GeneratedToken, Generation, PositionLogprobs } from "@residua/engine";
import type { CompletionRequest } from "./completion-request.ts";
import { completionHead, completionUsage, echoedText } from "./completion-response.ts";
import type { PreparedCompletion } from "../prepared-completion.ts";
import type { ServedModel } from "../served-model.ts";
import { wireLogprobs } from "../wire-logprobs.ts";

/** What a choice has ready for its next chunk. */
interface Unsent {
  text: string;
  tokens: number[];
  entries: (PositionLogprobs | null)[];
  /** Where the next log probability's text begins. */
  offset: number;
}

/** Makes the chunks of a streamed completion from the tokens as they come. */
export interface ChunkMaker {
  prompt(p: number, promptLogprobs: Generation["promptLogprobs"]): void;
  /** The chunk that this token completes; null while its text is held back. */
  token(p: number, token: GeneratedToken): object | null;
  /** The last chunk of `include_usage`. */
  usage(generations: readonly Generation[]): object;
}

export function createChunkMaker(
  request: CompletionRequest,
  prepared: PreparedCompletion,
  served: ServedModel,
): ChunkMaker {
  const head = completionHead(served);
  const { tokenizer } = served.model;
  const { prompts, n } = prepared;
  const promptLogprobs: Generation["promptLogprobs"][] = [];
  const choices = new Map<number, Unsent>();

  /** With echo a choice begins with its prompt. */
  const begin = (p: number): Unsent =>
    request.echo === true
      ? {
          text: echoedText(prompts[p]!, tokenizer),
          tokens: [...prompts[p]!.tokens],
          entries: [...(promptLogprobs[p] ?? [])],
          offset: 0,
        }
      : { text: "", tokens: [], entries: [], offset: 0 };

  return {
    prompt(p, logprobs) {
      promptLogprobs[p] = logprobs;
    },
    token(p, { choice, token, text, logprobs: entry, finishReason }) {
      const index = p * n + choice;
      const unsent = choices.get(index) ?? begin(p);
      choices.set(index, unsent);
      unsent.text += text;
      unsent.tokens.push(token);
      unsent.entries.push(entry);
      if (text === "" && finishReason === null) return null;
      let logprobs: object | null = null;
      if (request.logprobs != null) {
        const wire = wireLogprobs(unsent.tokens, unsent.entries, request.logprobs, tokenizer, unsent.offset);
        logprobs = wire.logprobs;
        unsent.offset = wire.end;
      }
      const chunk = {
        ...head,
        choices: [{ index, text: unsent.text, logprobs, finish_reason: finishReason }],
      };
      Object.assign(unsent, { text: "", tokens: [], entries: [] });
      return chunk;
    },
    usage: (generations) => ({ ...head, choices: [], usage: completionUsage(prepared, generations) }),
  };
}
