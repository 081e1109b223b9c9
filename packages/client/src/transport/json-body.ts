import { LargeJSON } from "./large-json.ts";
import type { BodySink } from "./transport.ts";
import { TransportFault } from "./transport-fault.ts";

/** From here on an answer is parsed as it arrives. */
const largeFrom = 2 ** 24;

/** As much of a large answer as an error's excerpt can need. */
const headLength = 2 ** 15;

const decoder = new TextDecoder();

/** A body that was read to its end. */
export interface ReadBody {
  /** The whole body, or the beginning of one over 16 MiB. */
  text: string;
  /** Undefined when it is not JSON. */
  value: unknown;
  /** It is the beginning of JSON. */
  cut: boolean;
  /** What is wrong with a large one that is not JSON. */
  reason?: string | undefined;
}

/** Collects a JSON answer: small ones whole, for JSON.parse; over 16 MiB as LargeJSON. Holds no more than it may. */
export class JSONBody implements BodySink {
  readonly #limit: number;
  readonly #announced: number;
  /** Bytes that are collected before they are parsed. */
  readonly #whole: number;
  #parts: Uint8Array[] = [];
  #total = 0;
  #large: { parser: LargeJSON; head: Uint8Array; reason: string | undefined } | undefined;

  /** The most bytes that may come, decompressed; and how many were announced, which saves copies when it is true. */
  constructor(limit: number, announced = 0) {
    this.#limit = limit;
    this.#announced = announced > 0 && announced <= limit ? announced : 0;
    this.#whole = this.#announced > largeFrom ? headLength : largeFrom;
  }

  write(chunk: Uint8Array): boolean {
    this.#total += chunk.length;
    if (this.#total > this.#limit) throw tooLarge(this.#limit);
    if (this.#large !== undefined) return this.#writeLarge(chunk);
    this.#parts.push(chunk);
    if (this.#total <= this.#whole) return true;
    const soFar = joined(this.#parts, this.#total);
    this.#parts = [];
    this.#large = {
      parser: new LargeJSON({ announced: this.#announced }),
      head: soFar.slice(0, headLength),
      reason: undefined,
    };
    return this.#writeLarge(soFar);
  }

  end(): ReadBody {
    if (this.#large === undefined) return parsed(textOf(this.#parts, this.#total));
    const { parser, head, reason } = this.#large;
    const text = decoder.decode(head);
    if (reason !== undefined) return { text, value: undefined, cut: false, reason };
    try {
      return { text, value: parser.end(), cut: false };
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      return { text, value: undefined, cut: parser.isOpen, reason: error.message };
    }
  }

  #writeLarge(chunk: Uint8Array): boolean {
    const large = this.#large;
    if (large === undefined || large.reason !== undefined) return false;
    try {
      large.parser.write(chunk);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      large.reason = error.message;
    }
    return large.reason === undefined;
  }
}

/** The fault of an answer that is over what may come. */
export function tooLarge(limit: number): TransportFault {
  return new TransportFault(
    "response_too_large",
    `the answer is over ${limit} bytes; set maxResponseBytes to take more, or ask for less`,
    { reused: false, answered: true },
  );
}

function parsed(text: string): ReadBody {
  try {
    return { text, value: JSON.parse(text) as unknown, cut: false };
  } catch {
    // A server that keeps a slow answer alive sends white space first; an answer cut there is white space only.
    const trimmed = text.trim();
    return {
      text,
      value: undefined,
      cut: trimmed === "" || (trimmed.startsWith("{") && !trimmed.endsWith("}")),
    };
  }
}

function textOf(parts: readonly Uint8Array[], total: number): string {
  const [only] = parts;
  return decoder.decode(parts.length === 1 ? only : joined(parts, total));
}

function joined(parts: readonly Uint8Array[], total: number): Uint8Array {
  const whole = new Uint8Array(total);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
