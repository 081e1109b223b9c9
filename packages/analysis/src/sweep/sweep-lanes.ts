/**
 * Visits every item (a layer, a control) once, in order, `lanes` at a time. The first failure stops the others (by the signal that each is given)
 * and is thrown when all have ended, so nothing is under way afterwards.
 */
export async function sweepLanes<T>(
  items: readonly T[],
  { lanes, signal }: { lanes: number; signal: AbortSignal | undefined },
  visit: (item: T, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  const stopped = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
  const waiting = items.values();
  let failure: { error: unknown } | undefined;
  const lane = async (): Promise<void> => {
    // One iterator for all lanes: each takes the next item when it is free.
    for (const item of waiting) {
      try {
        stopped.throwIfAborted();
        await visit(item, stopped);
      } catch (error) {
        failure ??= { error };
        stop.abort(error);
        return;
      }
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  if (failure) throw failure.error;
}
