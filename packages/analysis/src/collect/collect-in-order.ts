export interface InOrderOptions<T> {
  /** Indices `from` to `to` − 1. */
  from: number;
  to: number;
  /** Tasks at a time. */
  concurrency: number;
  signal?: AbortSignal | undefined;
  task: (index: number) => Promise<T>;
  /** Called once for each index, ascending, one call at a time. */
  deliver: (value: T) => Promise<void>;
}

/**
 * Runs tasks at bounded concurrency and delivers their results in order. Results that wait for an earlier one are bounded
 * too. After a failure or an abort no task begins; those in flight end, and what is complete up to the first gap is still
 * delivered. Then the first failure is thrown, or the signal's reason.
 */
export async function collectInOrder<T>(options: InOrderOptions<T>): Promise<void> {
  const { from, to, concurrency, signal, task, deliver } = options;
  const waiting = new Map<number, { value: T }>();
  let next = from;
  let due = from;
  let failure: { error: unknown } | undefined;
  let delivering = false;
  let wake: (() => void)[] = [];

  const stopped = (): boolean => failure !== undefined || signal?.aborted === true;
  const fail = (error: unknown): void => {
    failure ??= { error };
    wakeAll();
  };
  function wakeAll(): void {
    for (const resume of wake.splice(0)) resume();
  }

  async function deliverDue(): Promise<void> {
    if (delivering) return;
    delivering = true;
    for (let item = waiting.get(due); item !== undefined; item = waiting.get(due)) {
      waiting.delete(due);
      await deliver(item.value);
      due++;
      wakeAll();
    }
    delivering = false;
  }

  async function worker(): Promise<void> {
    while (next < to && !stopped()) {
      if (next - due >= 4 * concurrency) {
        await new Promise<void>((resume) => wake.push(resume));
        continue;
      }
      const index = next++;
      try {
        waiting.set(index, { value: await task(index) });
        await deliverDue();
      } catch (error) {
        fail(error);
      }
    }
  }

  signal?.addEventListener("abort", wakeAll);
  try {
    await Promise.all(Array.from({ length: Math.min(concurrency, to - from) }, worker));
  } finally {
    signal?.removeEventListener("abort", wakeAll);
    wake = [];
  }
  signal?.throwIfAborted();
  if (failure !== undefined) throw failure.error;
}
