import { unwatch, watch } from "./signal-watch.ts";

/** A longer timer would fire at once. */
export const longestTimer = 2 ** 31 - 1;

/** Resolves after so many milliseconds; rejects with `reason()` when the signal ends it. */
export function pause(
  milliseconds: number,
  signal: AbortSignal | undefined,
  reason: () => Error,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const watcher = {
      aborted() {
        clearTimeout(timer);
        if (signal) unwatch(signal, watcher);
        reject(reason());
      },
    };
    const timer = setTimeout(
      () => {
        if (signal) unwatch(signal, watcher);
        resolve();
      },
      Math.min(milliseconds, longestTimer),
    );
    if (signal) watch(signal, watcher);
    if (signal?.aborted) watcher.aborted();
  });
}
