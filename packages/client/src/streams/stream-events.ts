import type { ResiduaError } from "../residua-error.ts";
import type { Completion } from "../responses/completion.ts";
import type { APIAbortError } from "../transport/api-error.ts";
import type { CompletionChunk } from "./completion-chunk.ts";

/** What can be listened for on a stream. */
export interface StreamEvents {
  /** Each chunk as the server sent it. */
  chunk: (chunk: CompletionChunk) => void;
  /** More text of a choice: what came, all of it until now, and the choice's index. */
  text: (more: string, soFar: string, index: number) => void;
  /** The whole answer, once it is there. */
  finalCompletion: (completion: Completion) => void;
  /** What ended the stream before its end, but for an abort. */
  error: (error: ResiduaError) => void;
  /** The stream was ended from this side. */
  abort: (error: APIAbortError) => void;
  /** Last, whatever came before. */
  end: () => void;
}

interface Listening {
  listener: (...values: never[]) => void;
  once: boolean;
}

/** The listeners of one stream. */
export class Listeners {
  readonly #all = new Map<keyof StreamEvents, Listening[]>();

  has(event: keyof StreamEvents): boolean {
    return this.#all.has(event);
  }

  add<E extends keyof StreamEvents>(event: E, listener: StreamEvents[E], once: boolean): void {
    this.#all.set(event, [...(this.#all.get(event) ?? []), { listener, once }]);
  }

  /** Takes one away; one that was added twice still listens. */
  remove<E extends keyof StreamEvents>(event: E, listener: StreamEvents[E]): void {
    const all = this.#all.get(event) ?? [];
    const at = all.findIndex((one) => one.listener === listener);
    this.#set(
      event,
      all.filter((_, i) => i !== at),
    );
  }

  emit<E extends keyof StreamEvents>(event: E, ...values: Parameters<StreamEvents[E]>): void {
    const all = this.#all.get(event);
    if (all === undefined) return;
    if (all.some(({ once }) => once)) {
      this.#set(
        event,
        all.filter(({ once }) => !once),
      );
    }
    for (const { listener } of all) {
      try {
        listener(...(values as never[]));
      } catch (error) {
        // As of an EventTarget: the fault is the program's, not the stream's.
        void Promise.resolve().then(() => {
          throw error;
        });
      }
    }
  }

  #set(event: keyof StreamEvents, all: Listening[]): void {
    if (all.length > 0) this.#all.set(event, all);
    else this.#all.delete(event);
  }
}
