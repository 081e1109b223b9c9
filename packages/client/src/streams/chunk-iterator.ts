interface Steps<T> {
  /** What can be given at once. */
  ready: () => T | undefined;
  /** The next, or the end; rejects once with what ended it. */
  wait: () => Promise<IteratorResult<T, undefined>>;
  /** The reader goes. */
  leave: () => void;
}

/**
 * An async iterator by hand: a generator would cost several promises for each value, also for those that are there, and
 * could not be left while it waits. Calls of `next` that come before the last is answered wait for their turn.
 */
export function chunkIterator<T extends object>({
  ready,
  wait,
  leave,
}: Steps<T>): AsyncIterableIterator<T, undefined> {
  let before: Promise<unknown> | undefined;
  let waiting = 0;
  const answered = () => {
    waiting--;
  };
  return {
    next() {
      const value = waiting === 0 ? ready() : undefined;
      if (value !== undefined) return Promise.resolve({ value, done: false });
      const result = waiting === 0 ? wait() : before!.then(wait);
      waiting++;
      before = result.then(answered, answered);
      return result;
    },
    return() {
      leave();
      return Promise.resolve({ value: undefined, done: true });
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
