import type { GeneratedToken, Generation, PositionLogprobs } from "@residua/engine";
import type { StreamedChunks } from "../stream-completion.ts";

/** Makes the events of a stream. */
export interface StreamMaker extends StreamedChunks {
  /** The events after the last token. */
  end(generations: readonly Generation[]): readonly object[];
}

/** What of a choice waits to be sent, with `stream_interval` above 1. */
export interface Unsent {
  text: string;
  tokens: number[];
  entries: (PositionLogprobs | null)[];
  /** Tokens generated so far. */
  count: number;
  /** The last few tokens that were sent, for the names of the next. */
  before: readonly number[];
  /** Where the next token's text begins. */
  offset: number;
}

/** Gathers tokens until enough are there: the first goes at once, the last with what is left. */
export class TokenGatherer {
  readonly #interval: number;
  readonly #choices = new Map<number, Unsent>();

  constructor(interval: number) {
    this.#interval = interval;
  }

  /** Null while the next event waits for more; `taken` is to be called once it is made. */
  add(index: number, { token, text, logprobs, finishReason }: GeneratedToken): Unsent | null {
    const unsent = this.#choices.get(index) ?? this.#begin(index);
    unsent.text += text;
    unsent.tokens.push(token);
    unsent.entries.push(logprobs);
    unsent.count++;
    const due = unsent.count === 1 || unsent.tokens.length >= this.#interval || finishReason !== null;
    return due ? unsent : null;
  }

  taken(unsent: Unsent): void {
    unsent.before = [...unsent.before, ...unsent.tokens].slice(-3);
    Object.assign(unsent, { text: "", tokens: [], entries: [] });
  }

  #begin(index: number): Unsent {
    const unsent: Unsent = { text: "", tokens: [], entries: [], count: 0, before: [], offset: 0 };
    this.#choices.set(index, unsent);
    return unsent;
  }
}
