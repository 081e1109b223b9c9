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
