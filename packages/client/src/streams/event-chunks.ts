import type { OpenAnswer } from "../transport/send-request.ts";
import type { ChunkSource } from "./chunk-source.ts";
import { type CompletionChunk, readChunk } from "./completion-chunk.ts";
import { EventParser, type ServerEvent } from "./event-parser.ts";

interface EventChunksOptions {
  /** Ends the request and its connection. */
  controller: AbortController;
  /** Choices that were asked for. */
  total: number;
  longestEvent: number;
  /** Called once, when the stream is whole or closed. */
  onEnd: () => void;
  /** Called with each chunk that is taken. */
  onChunk?: (chunk: CompletionChunk) => void;
}

/** After [DONE] or an error the end of the body is awaited so long, and over so many bytes, to keep the connection. */
const drain = { milliseconds: 1000, bytes: 65_536 };

/** The chunks of a text/event-stream answer, up to `data: [DONE]`. */
export class EventChunks implements ChunkSource {
  readonly #answer: OpenAnswer;
  readonly #bytes: AsyncIterator<Uint8Array, undefined>;
  readonly #controller: AbortController;
  readonly #total: number;
  readonly #onEnd: () => void;
  readonly #onChunk: ((chunk: CompletionChunk) => void) | undefined;
  readonly #parser: EventParser;
  #events: ServerEvent[] = [];
  #next = 0;
  /** `ended` by the body's end or from this side, `finished` by [DONE], `failed` by an error that the server sent. */
  #state: "open" | "ended" | "finished" | "failed" = "open";
  #started = false;
  /** The body is over: there is nothing to drain. */
  #over = false;
  #fault: Error | undefined;

  constructor(answer: OpenAnswer, { controller, total, longestEvent, onEnd, onChunk }: EventChunksOptions) {
    this.#answer = answer;
    this.#bytes = answer.chunks()[Symbol.asyncIterator]() as AsyncIterator<Uint8Array, undefined>;
    this.#controller = controller;
    this.#total = total;
    this.#onEnd = onEnd;
    this.#onChunk = onChunk;
    this.#parser = new EventParser(longestEvent);
  }

  get finished(): boolean {
    return this.#state === "finished";
  }

  take(): CompletionChunk | undefined {
    while (this.#next < this.#events.length) {
      const event = this.#events[this.#next++]!;
      const { data } = event;
      if (data.charCodeAt(0) === bracket && data.trim() === "[DONE]") {
        this.#conclude("finished");
        break;
      }
      const body = this.#read(event);
      if (body === undefined) continue;
      const chunk = readChunk(body, this.#total, this.#answer.unexpected);
      this.#onChunk?.(chunk);
      return chunk;
    }
    this.#events = [];
    this.#next = 0;
    return undefined;
  }

  async fill(): Promise<boolean> {
    while (this.#state === "open" && this.#events.length === 0) {
      this.#started = true;
      let bytes: Uint8Array | undefined;
      try {
        bytes = (await this.#bytes.next()).value;
      } catch (fault) {
        this.#fault = fault as Error;
      }
      this.#parse(bytes);
    }
    if (this.#events.length > 0) return true;
    // What came before the fault comes before it here, and when that makes the stream whole the fault does not matter.
    if (this.#state === "ended" && this.#fault !== undefined) throw this.#fault;
    return false;
  }

  /** Undefined when the body is over. */
  #parse(bytes: Uint8Array | undefined): void {
    this.#over = bytes === undefined;
    let end = this.#over;
    try {
      if (bytes === undefined) this.#parser.end();
      else this.#parser.push(bytes);
    } catch (tooLong) {
      this.#fault ??= tooLong as Error;
      end = true;
    }
    if (this.#state !== "open") return;
    if (end) this.#state = "ended";
    this.#events = this.#parser.take();
  }

  close(): void {
    if (this.#state === "finished" || this.#state === "failed") return;
    this.#state = "ended";
    this.#events = [];
    this.#next = 0;
    this.#onEnd();
    this.#cut();
  }

  #cut(): void {
    this.#controller.abort();
    // An iterator that never began must begin to end: only then does the transport let go of its timers.
    void (this.#started ? this.#bytes.return?.() : this.#bytes.next())?.catch(() => undefined);
  }

  /** Undefined for an event that holds nothing, and for one that the end of the body cut in two. */
  #read({ data, type, cut }: ServerEvent): object | undefined {
    if (data.trim() === "") return undefined;
    const body = parseJSON(data);
    if (body === undefined && cut) return undefined;
    if (typeof body !== "object" || body === null || Array.isArray(body)) {
      // A longer excerpt could cut a secret in two, and half of one is not recognised.
      const shown = `${JSON.stringify(data.slice(0, 8))} and on, ${data.length} characters`;
      throw this.#answer.unexpected("unexpected_response", `an event of the stream is no chunk: ${shown}`);
    }
    if (!holdsError(body, type)) return body;
    this.#conclude("failed");
    throw this.#answer.errorOf(body);
  }

  /** The server has said its last; nobody waits for the end of the body. */
  #conclude(state: "finished" | "failed"): void {
    this.#state = state;
    this.#onEnd();
    if (!this.#over) void this.#drain();
  }

  async #drain(): Promise<void> {
    const timer = setTimeout(() => this.#cut(), drain.milliseconds);
    try {
      for (let left = drain.bytes; left > 0;) {
        const { done, value } = await this.#bytes.next();
        if (done === true) return;
        left -= value.length;
      }
      this.#cut();
    } catch {
      // The connection is gone, and all that matters has come.
    } finally {
      clearTimeout(timer);
    }
  }
}

const bracket = "[".charCodeAt(0);

/** `{"error": …}`; the error of OctoAI and of old vLLM, `{"object": "error", …}`; or an event that is named so. */
function holdsError(body: { error?: unknown; object?: unknown }, type: string): boolean {
  return (body.error !== undefined && body.error !== null) || body.object === "error" || type === "error";
}

function parseJSON(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
