/**
 * Visits every layer once, in order, `lanes` at a time. The first failure stops the others (by the signal that each is given)
 * and is thrown when all have ended, so nothing is under way afterwards.
 */
export async function sweepLanes(
  layers: readonly number[],
  { lanes, signal }: { lanes: number; signal: AbortSignal | undefined },
  visit: (layer: number, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  const stopped = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
  const waiting = layers.values();
  let failure: { error: unknown } | undefined;
  const lane = async (): Promise<void> => {
    // One iterator for all lanes: each takes the next layer when it is free.
    for (const layer of waiting) {
      try {
        stopped.throwIfAborted();
        await visit(layer, stopped);
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
