import { LineBuffer, tooLong } from "./line-buffer.ts";

/** One event of a text/event-stream. */
export interface ServerEvent {
  /** The lines of `data`, joined by LF. */
  data: string;
  /** The `event` field; "" when there was none. */
  type: string;
  /** The body ended before the blank line that closes the event, so `data` may be cut. */
  cut: boolean;
}

/**
 * Reads a text/event-stream from bytes that are cut anywhere (WHATWG HTML, 9.2.6): LF, CR, CRLF and mixtures of them, a
 * byte order mark, comments, data of several lines. A line that ends in CR counts at once: a LF that follows belongs to
 * it, also when it comes with the next bytes. `id` and `retry` are not used.
 */
export class EventParser {
  #events: ServerEvent[] = [];
  readonly #longest: number;
  readonly #lines: LineBuffer;
  #afterReturn = false;
  #type = "";
  #data: string | undefined;

  /** `longestEvent`: bytes that one event may have. */
  constructor(longestEvent: number) {
    this.#longest = longestEvent;
    this.#lines = new LineBuffer(longestEvent);
  }

  /** The events that are complete, each once. */
  take(): ServerEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  /** Throws `event_too_long`; the events before it can be taken. */
  push(bytes: Uint8Array): void {
    const text = this.#lines.push(bytes);
    if (text === "") return;
    let start = this.#afterReturn && text.startsWith("\n") ? 1 : 0;
    this.#afterReturn = text.endsWith("\r");
    if (text.includes("\r")) {
      const lines = text.slice(start).split(/\r\n|\r|\n/);
      for (let i = 0; i < lines.length - 1; i++) this.#line(lines[i]!, 0, lines[i]!.length);
      return;
    }
    for (let end = text.indexOf("\n", start); end !== -1; end = text.indexOf("\n", start)) {
      this.#line(text, start, end);
      start = end + 1;
    }
  }

  /** The body is over: an event that its blank line did not close comes as `cut`. */
  end(): void {
    const text = this.#lines.end();
    if (text !== "") this.#line(text, 0, text.length);
    this.#dispatch(true);
  }

  #line(text: string, start: number, end: number): void {
    if (start === end) return this.#dispatch(false);
    if (text.startsWith("data:", start)) return this.#append(value(text, start + 5, end));
    const line = text.slice(start, end);
    if (line === "data") this.#append("");
    else if (line.startsWith("event:")) this.#type = value(line, 6, line.length);
    else if (line === "event") this.#type = "";
  }

  #append(data: string): void {
    this.#data = this.#data === undefined ? data : `${this.#data}\n${data}`;
    if (this.#data.length > this.#longest) throw tooLong(this.#longest);
  }

  #dispatch(cut: boolean): void {
    const data = this.#data;
    const type = this.#type;
    this.#data = undefined;
    this.#type = "";
    if (data !== undefined) this.#events.push({ data, type, cut });
  }
}

/** One space after the colon is not part of the value. */
function value(text: string, start: number, end: number): string {
  return text.slice(text.charCodeAt(start) === 32 && start < end ? start + 1 : start, end);
}
