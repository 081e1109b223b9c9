import { ResiduaError } from "../residua-error.ts";
import type { Completion, Usage } from "../responses/completion.ts";
import { type APIConnectionError, APITimeoutError } from "../transport/api-error.ts";

interface Arrived {
  partial: Completion;
  /** Chunks that came. */
  chunks: number;
  status: number | undefined;
  requestID: string | undefined;
}

/**
 * A stream ended before `data: [DONE]`: it did not finish, whatever its choices say. Carries what arrived. `cause` is the
 * APIConnectionError or APITimeoutError that ended it; a body that just ended has none. Asking again is safe, and costs
 * the tokens again.
 */
export class StreamInterrupted extends ResiduaError {
  /** The connection broke, the time ran out, or the body just ended. */
  readonly reason: "connection" | "end" | "timeout";
  /** Chunks that came. */
  readonly chunks: number;
  readonly status: number | undefined;
  readonly requestID: string | undefined;
  readonly retryable = true;
  /** Tokens so far, when the server had told them. */
  readonly usage: Usage | undefined;
  readonly #partial: Completion;

  constructor(cause: APIConnectionError | undefined, { partial, chunks, status, requestID }: Arrived) {
    const reason = cause === undefined ? "end" : cause instanceof APITimeoutError ? "timeout" : "connection";
    const why = cause === undefined ? "its body ended" : cause.message;
    const id = requestID === undefined ? "" : ` (request ${requestID})`;
    super(
      "stream_interrupted",
      `the stream ended before data: [DONE], after ${chunks} chunks: ${why}${id}; \`partial\` has what arrived`,
      { reason, chunks, requestID },
    );
    if (cause !== undefined) this.cause = cause;
    this.reason = reason;
    this.chunks = chunks;
    this.status = status;
    this.requestID = requestID;
    this.usage = partial.usage ?? undefined;
    this.#partial = partial;
  }

  /**
   * The completion as far as it came: every choice that was asked for, with text "" and finish_reason null where nothing
   * came. Log probabilities are in it when `finalCompletion` was asked for before reading. Not enumerable, so that a log
   * of the error is not full of it.
   */
  get partial(): Completion {
    return this.#partial;
  }

  /** What arrived of the choice with this index. */
  textOf(index: number): string {
    return this.#partial.choices[index]?.text ?? "";
  }
}
