/**
 * Runs `work` on each item, at most `concurrency` at a time, results in the items' order. The first failure (or the caller's
 * signal) aborts what is in flight and starts nothing more.
 */
export async function steeringPool<Item, Result>(
  items: readonly Item[],
  options: { concurrency: number; signal?: AbortSignal | undefined },
  work: (item: Item, signal: AbortSignal) => Promise<Result>,
): Promise<Result[]> {
  const stop = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, stop.signal]) : stop.signal;
  const results = new Array<Result>(items.length);
  const queue = items.entries();
  const worker = async () => {
    for (const [i, item] of queue) {
      signal.throwIfAborted();
      results[i] = await work(item, signal);
    }
  };
  const workers = Array.from({ length: Math.min(options.concurrency, items.length) }, () => worker());
  try {
    await Promise.all(workers);
  } catch (error) {
    stop.abort(error);
    await Promise.allSettled(workers);
    throw error;
  }
  return results;
}
