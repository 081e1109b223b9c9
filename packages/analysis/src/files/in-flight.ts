/**
 * Does work on items as they come, `most` of them at a time, in any order; `slot` (0 to `most` − 1) is held by no other item at the
 * same time. After the first failure no item is taken any more; the error is thrown when all that had begun has ended.
 */
export async function inFlight<T>(
  items: AsyncIterable<T> | Iterable<T>,
  most: number,
  work: (item: T, slot: number) => Promise<void>,
): Promise<void> {
  const running = new Set<Promise<void>>();
  const slots = Array.from({ length: most }, (_, slot) => slot);
  let failure: { error: unknown } | undefined;
  try {
    for await (const item of items) {
      const slot = slots.pop() as number;
      const run = work(item, slot)
        .catch((error: unknown) => void (failure ??= { error }))
        .finally(() => {
          running.delete(run);
          slots.push(slot);
        });
      running.add(run);
      if (slots.length === 0) await Promise.race(running);
      if (failure) break;
    }
  } finally {
    await Promise.all(running);
  }
  if (failure) throw failure.error;
}
