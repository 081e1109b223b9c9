import { createParser } from "eventsource-parser";
import { ResiduaError } from "../residua-error.ts";
import type { OpenAnswer } from "../transport/send-request.ts";
import { checkChunk } from "../responses/check-completion.ts";
import { faultText } from "../responses/check-shape.ts";
import type { CompletionChunk } from "./completion-chunk.ts";

/** A stream of chunks, read once. Leaving the loop closes the connection, and the server stops. */
export class CompletionStream implements AsyncIterable<CompletionChunk> {
  readonly #answer: OpenAnswer;
  readonly shape: { prompts: number; n: number };
  #taken = false;

  constructor(answer: OpenAnswer, shape: { prompts: number; n: number }) {
    this.#answer = answer;
    this.shape = shape;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<CompletionChunk, void, undefined> {
    if (this.#taken) throw new ResiduaError("stream_taken", "this stream is being read already");
    this.#taken = true;
    const events: string[] = [];
    const parser = createParser({ onEvent: ({ data }) => events.push(data) });
    const decoder = new TextDecoder();
    for await (const bytes of this.#answer.chunks()) {
      parser.feed(decoder.decode(bytes, { stream: true }));
      for (const data of events.splice(0)) {
        if (data === "[DONE]") return;
        const body = JSON.parse(data) as object;
        if ("error" in body) throw this.#answer.errorOf(body);
        const fault = checkChunk(body);
        if (fault) {
          throw this.#answer.unexpected("unexpected_response", `an event is not a chunk: ${faultText(fault)}`);
        }
        const chunk = body as CompletionChunk;
        chunk.choices ??= [];
        yield chunk;
      }
    }
    throw new ResiduaError("stream_interrupted", "the stream ended before data: [DONE]");
  }
}
