/** A clock and the caller's signal as one. */
export interface Deadline {
  signal: AbortSignal;
  passed(): boolean;
  /** Ended by hand, so that nothing is left on a signal that lives long. */
  end(): void;
}

export function startDeadline(timeout: number, signal: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  let passed = false;
  const abort = () => controller.abort();
  // A longer timer would fire at once.
  const timer = setTimeout(() => ((passed = true), abort()), Math.min(timeout, 2 ** 31 - 1));
  signal?.addEventListener("abort", abort, { once: true });
  return {
    signal: controller.signal,
    passed: () => passed,
    end() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    },
  };
}

/** Resolves after so many milliseconds; rejects with `reason()` when the signal ends it. */
export function pause(
  milliseconds: number,
  signal: AbortSignal | undefined,
  reason: () => Error,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      reject(reason());
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", end);
      resolve();
    }, milliseconds);
    if (signal?.aborted) end();
    else signal?.addEventListener("abort", end, { once: true });
  });
}
