import { ResiduaError } from "../residua-error.ts";
import type { Completion, Usage } from "../responses/completion.ts";
import { APIAbortError, APIConnectionError } from "../transport/api-error.ts";
import type { ChunkSource } from "./chunk-source.ts";
import type { CompletionChunk } from "./completion-chunk.ts";
import { CompletionCollector, type Shape } from "./completion-collector.ts";
import { chunkIterator } from "./chunk-iterator.ts";
import { followSignal } from "../transport/follow-signal.ts";
import { type FromReadable, readableParts } from "./from-readable.ts";
import { Listeners, type StreamEvents } from "./stream-events.ts";
import { StreamEnding } from "./stream-ending.ts";
import { StreamInterrupted } from "./stream-interrupted.ts";
import { teeChunks } from "./tee-chunks.ts";

/** What a stream is made of. */
export interface StreamParts {
  source: ChunkSource;
  /** Ends the stream, and the request behind it. */
  controller: AbortController;
  /** Undefined where it is not known: then it is one prompt with as many choices as came. */
  shape: Shape | undefined;
  /** Checks a collected body as one that was not streamed. Throws APIError. */
  read: (body: object, shape: Shape) => Completion;
  status: number | undefined;
  requestID: string | undefined;
}

/**
 * The chunks of a streamed completion. It is read once: by a loop, by `tee` or `toReadableStream`, or, when there are only
 * listeners or a wait for `done` or `finalCompletion`, by itself. Leaving the loop closes the connection, and the server
 * stops. Reading goes no faster than the reader: what it has not taken stays with the server.
 *
 * The loop ends without an error only after `data: [DONE]`. Otherwise it throws StreamInterrupted (the end is missing),
 * APIError (the server sent an error, or what is no chunk), APIAbortError (`abort`, or the request's signal), or
 * ResiduaError `event_too_long`. After `[DONE]` nothing more is read; a choice without finish_reason then keeps null.
 */
export class CompletionStream implements AsyncIterable<CompletionChunk> {
  /** Aborting it ends the stream: the reader gets APIAbortError. */
  readonly controller: AbortController;
  readonly #parts: StreamParts;
  readonly #collector = new CompletionCollector();
  readonly #listeners = new Listeners();
  readonly #ending = new StreamEnding();
  #reader: "none" | "loop" | "itself" | "other" = "none";
  #final: Promise<Completion> | undefined;
  #completion: Completion | undefined;
  /** Closes the connection when an `await using` ends. */
  declare readonly [Symbol.asyncDispose]: () => Promise<void>;

  static {
    if (Symbol.asyncDispose !== undefined) {
      const value = function (this: CompletionStream) {
        this.#fail(new APIAbortError());
        return Promise.resolve();
      };
      Object.defineProperty(this.prototype, Symbol.asyncDispose, { value });
    }
  }

  constructor(parts: StreamParts) {
    this.#parts = parts;
    this.controller = parts.controller;
    const abort = () => this.#fail(new APIAbortError());
    if (this.controller.signal.aborted) abort();
    else this.controller.signal.addEventListener("abort", abort, { once: true });
  }

  /** The stream that `toReadableStream` gave away: newline-delimited JSON chunks, as openai-node has it. */
  static fromReadableStream(
    readable: ReadableStream<Uint8Array>,
    options: FromReadable = {},
  ): CompletionStream {
    return new CompletionStream(readableParts(readable, options));
  }

  /** Throws ResiduaError `stream_taken` when the stream has a reader. */
  [Symbol.asyncIterator](): AsyncIterableIterator<CompletionChunk, undefined> {
    this.#take("loop");
    let told = false;
    return chunkIterator({
      ready: () => this.#nextChunk(),
      wait: async () => {
        do {
          const value = this.#nextChunk();
          if (value !== undefined) return { value, done: false };
        } while (await this.#more());
        const { error } = this.#ending;
        if (error === undefined || told) return { value: undefined, done: true };
        told = true;
        throw error;
      },
      leave: () => {
        told = true;
        this.#fail(new APIAbortError());
      },
    });
  }

  /** Ends the stream from this side and closes the connection. The reader gets APIAbortError. */
  abort(): void {
    this.controller.abort();
  }

  /** Calls the listener each time. Without a loop that is begun in the same turn the stream then reads itself. */
  on<E extends keyof StreamEvents>(event: E, listener: StreamEvents[E]): this {
    return this.#listen(event, listener, false);
  }

  /** Calls the listener the next time only. */
  once<E extends keyof StreamEvents>(event: E, listener: StreamEvents[E]): this {
    return this.#listen(event, listener, true);
  }

  /** Takes a listener away. */
  off<E extends keyof StreamEvents>(event: E, listener: StreamEvents[E]): this {
    this.#listeners.remove(event, listener);
    return this;
  }

  /** Resolves at the end, rejects with what ended the stream before. Reads the stream when no loop does. */
  done(): Promise<void> {
    this.#readSoon();
    return this.#ending.wait();
  }

  /**
   * The whole answer, equal to the one that is not streamed as far as the server streams its fields. Reads the stream when
   * no loop does. Log probabilities can be large: they are kept when this is called before the first chunk is read, as in
   * `const final = stream.finalCompletion(); for await (…) …; await final`. Called later on a stream that had some it throws
   * ResiduaError `logprobs_not_kept`. Throws APIError `choices_mismatch` when nothing came of a choice.
   */
  finalCompletion(): Promise<Completion> {
    if (this.#collector.chunks === 0) this.#collector.keepLogprobs = true;
    this.#final ??= this.done().then(() => this.#whole());
    return this.#final;
  }

  /** The text of the choice with this index until now: choice i of prompt p has the index p * n + i. */
  textOf(index: number): string {
    const { prompts, n } = this.#shape;
    if (!Number.isInteger(index) || index < 0 || index >= prompts * n) {
      throw new RangeError(`choice ${index} asked; the request had choices 0 to ${prompts * n - 1}`);
    }
    return this.#collector.choice(index)?.text ?? "";
  }

  /** Tokens of the whole request as far as the server has told; undefined when it has not. */
  get usage(): Usage | undefined {
    return this.#collector.usage(this.#shape);
  }

  /**
   * Two streams of the same chunks. What only one of them has read is kept for the other, without bound; the connection is
   * closed when both are left. This stream then has a reader.
   */
  tee(): [CompletionStream, CompletionStream] {
    this.#take("other");
    const half = (source: ChunkSource) => {
      const controller = new AbortController();
      followSignal(this.controller.signal, controller);
      return new CompletionStream({ ...this.#parts, source, controller });
    };
    const [left, right] = teeChunks(this.#parts.source);
    return [half(left), half(right)];
  }

  /** The chunks as newline-delimited JSON, for `fromReadableStream` on the other side of a wire. */
  toReadableStream(): ReadableStream<Uint8Array> {
    const chunks = this[Symbol.asyncIterator]();
    const encoder = new TextEncoder();
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
      const { value, done } = await chunks.next();
      if (done === true) controller.close();
      else controller.enqueue(encoder.encode(`${JSON.stringify(value)}\n`));
    };
    return new ReadableStream(
      { pull, cancel: () => chunks.return?.().then(() => undefined) },
      { highWaterMark: 0 },
    );
  }

  get #shape(): Shape {
    return this.#parts.shape ?? { prompts: 1, n: this.#collector.width };
  }

  #take(reader: "loop" | "other"): void {
    if (this.#reader !== "none") {
      throw new ResiduaError(
        "stream_taken",
        "this stream has a reader already: a loop, tee, toReadableStream, or its listeners",
      );
    }
    this.#reader = reader;
  }

  #listen<E extends keyof StreamEvents>(event: E, listener: StreamEvents[E], once: boolean): this {
    if (event === "finalCompletion" && this.#collector.chunks === 0) this.#collector.keepLogprobs = true;
    this.#listeners.add(event, listener, once);
    this.#readSoon();
    return this;
  }

  /** A loop that is begun in the same turn comes first. */
  #readSoon(): void {
    if (this.#reader !== "none" || this.#ending.ended) return;
    queueMicrotask(() => {
      if (this.#reader !== "none") return;
      this.#reader = "itself";
      void this.#readAll();
    });
  }

  async #readAll(): Promise<void> {
    while (await this.#more()) while (this.#nextChunk() !== undefined);
  }

  /** The next chunk that has come. */
  #nextChunk(): CompletionChunk | undefined {
    if (this.#ending.ended) return undefined;
    try {
      const chunk = this.#parts.source.take();
      if (chunk === undefined) return undefined;
      this.#collector.add(chunk);
      if (this.#listeners.has("chunk")) this.#listeners.emit("chunk", chunk);
      if (this.#listeners.has("text")) {
        for (const { text, index } of chunk.choices) {
          if (text !== "") this.#listeners.emit("text", text, this.textOf(index), index);
        }
      }
      return chunk;
    } catch (error) {
      this.#fail(error);
      return undefined;
    }
  }

  /** Whether there may be a next chunk. */
  async #more(): Promise<boolean> {
    if (this.#ending.ended) return false;
    try {
      const { source } = this.#parts;
      if (await source.fill()) return true;
      if (this.#ending.ended) return false;
      if (source.finished) this.#succeed();
      else this.#fail(this.#interrupted(undefined));
    } catch (error) {
      this.#fail(error);
    }
    return false;
  }

  #succeed(): void {
    if (this.#listeners.has("finalCompletion")) this.#listeners.emit("finalCompletion", this.#whole());
    this.#ending.set(undefined);
    this.#listeners.emit("end");
    this.#ending.tell(false);
  }

  #fail(fault: unknown): void {
    if (this.#ending.ended) return;
    const cut = fault instanceof APIConnectionError && fault.code !== "response_too_large";
    const error = cut ? this.#interrupted(fault) : (fault as Error);
    this.#ending.set(error);
    this.#parts.source.close();
    const event = error instanceof APIAbortError ? "abort" : "error";
    const heard = this.#listeners.has(event) || this.#ending.awaited;
    this.#listeners.emit(event, error as APIAbortError);
    this.#listeners.emit("end");
    // The loop has the same error.
    const known = this.#reader === "loop";
    if (known) this.#final?.catch(() => undefined);
    this.#ending.tell(known);
    // Nobody would ever learn of it.
    if (this.#reader === "itself" && !heard) void Promise.reject(error);
  }

  #whole(): Completion {
    if (this.#collector.dropped) {
      throw new ResiduaError(
        "logprobs_not_kept",
        "the stream's log probabilities were not kept: call finalCompletion() before the first chunk is read",
      );
    }
    this.#completion ??= this.#parts.read(this.#collector.collected(this.#shape), this.#shape);
    return this.#completion;
  }

  #interrupted(cause: APIConnectionError | undefined): StreamInterrupted {
    const { status, requestID } = this.#parts;
    const { chunks } = this.#collector;
    const partial = this.#collector.partial(this.#shape);
    return new StreamInterrupted(cause, { partial, chunks, status, requestID });
  }
}
