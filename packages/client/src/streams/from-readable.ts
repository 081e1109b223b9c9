import { parseCompletion } from "../responses/parse-completion.ts";
import { APIError } from "../transport/api-error.ts";
import type { Shape } from "./completion-collector.ts";
import type { StreamParts } from "./completion-stream.ts";
import { LineChunks } from "./line-chunks.ts";
import { readLongestEvent } from "./longest-event.ts";

/** What newline-delimited JSON does not say of the request behind it. */
export interface FromReadable {
  /** How many choices the request asked for, so that `choicesOf` knows its prompts. Else one prompt with all that came. */
  shape?: Shape;
  /** Ends the stream when aborted. */
  controller?: AbortController;
  /** Bytes that one line may have (134217728). */
  longestEvent?: number;
}

/** The parts of a stream over newline-delimited JSON. */
export function readableParts(readable: ReadableStream<Uint8Array>, options: FromReadable): StreamParts {
  const { shape, controller = new AbortController() } = options;
  const head = { status: 200, headers: {}, requestID: undefined, attempts: 1, unexpected };
  return {
    source: new LineChunks(readable, readLongestEvent(options.longestEvent), unexpected),
    controller,
    shape,
    read: (body, of) => parseCompletion({ ...head, body }, of),
    status: undefined,
    requestID: undefined,
  };
}

function unexpected(code: string, message: string): APIError {
  return new APIError({
    status: 200,
    code,
    message,
    type: undefined,
    param: undefined,
    requestID: undefined,
    retryable: false,
    retryAfter: undefined,
    body: "",
    attempts: 1,
  });
}
