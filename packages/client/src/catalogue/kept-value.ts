import { APIAbortError } from "../transport/api-error.ts";
import { type SharedRequest, sharedRequest, type Waiting } from "./shared-request.ts";

/** A value that is asked for once and kept for a while. */
export interface KeptValue<T> {
  /** The kept value, or a new one when it is too old or `refresh` is set. Callers at one time share one request. */
  get(waiting: Waiting & { refresh?: boolean }, ask: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

/** Keeps a value for so many milliseconds of the clock. A failure is not kept, and never answered with an old value. */
export function keepValue<T>({ lifetime, now }: { lifetime: number; now: () => number }): KeptValue<T> {
  let kept: { value: T; at: number } | undefined;
  let asking: SharedRequest<T> | undefined;

  async function get(
    { refresh = false, ...waiting }: Waiting & { refresh?: boolean },
    ask: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    if (waiting.signal?.aborted) throw new APIAbortError();
    if (!refresh && kept !== undefined && now() - kept.at < lifetime) return kept.value;
    if (asking === undefined || asking.abandoned()) asking = start(ask);
    return asking.wait(waiting);
  }

  function start(ask: (signal: AbortSignal) => Promise<T>): SharedRequest<T> {
    const at = now();
    const request: SharedRequest<T> = sharedRequest((signal) =>
      ask(signal).then(
        (value) => {
          kept = { value, at };
          if (asking === request) asking = undefined;
          return value;
        },
        (error: unknown) => {
          if (asking === request) asking = undefined;
          throw error;
        },
      ),
    );
    return request;
  }

  return { get };
}
