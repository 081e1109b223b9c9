import { longestTimer } from "../transport/pause.ts";
import { APIAbortError, APITimeoutError } from "../transport/api-error.ts";

export interface Waiting {
  signal?: AbortSignal | undefined;
  /** Milliseconds that this caller waits. */
  timeout?: number | undefined;
}

/** One request for several callers. */
export interface SharedRequest<T> {
  /**
   * Waits for it. A caller's signal and timeout end that caller's wait (APIAbortError, APITimeoutError) and not the
   * request, which ends when nobody waits any more.
   */
  wait(waiting: Waiting): Promise<T>;
  /** Whether it was ended because nobody waited: it is no use to a new caller. */
  abandoned(): boolean;
}

/** Starts it. `start` gets the signal that ends it when all have gone. */
export function sharedRequest<T>(start: (signal: AbortSignal) => Promise<T>): SharedRequest<T> {
  const controller = new AbortController();
  const result = start(controller.signal);
  // Each caller sees the fault through its own wait.
  result.catch(() => undefined);
  let callers = 0;

  function wait({ signal, timeout }: Waiting): Promise<T> {
    callers++;
    const over = new AbortController();
    const left = new Promise<never>((_, reject) => {
      const leave = (error: Error) => () => reject(error);
      signal?.addEventListener("abort", leave(new APIAbortError()), { signal: over.signal });
      if (timeout === undefined) return;
      const timer = setTimeout(
        leave(new APITimeoutError("total", timeout, 1)),
        Math.min(timeout, longestTimer),
      );
      over.signal.addEventListener("abort", () => clearTimeout(timer));
    });
    return Promise.race([result, left]).finally(() => {
      over.abort();
      if (--callers === 0) controller.abort();
    });
  }

  return { wait, abandoned: () => controller.signal.aborted };
}
