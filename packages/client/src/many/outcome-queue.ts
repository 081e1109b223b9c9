/** Outcomes that wait for the loop to take them: as they come, or in the order of their indices. */
export class OutcomeQueue<T extends { index: number }> {
  readonly #ordered: boolean;
  /** By index, or by the order of arrival. */
  readonly #waiting = new Map<number, T>();
  #arrivals = 0;
  #next = 0;
  #ended = false;
  #fault: { error: unknown } | undefined;
  #wake: (() => void) | undefined;

  constructor({ ordered }: { ordered: boolean }) {
    this.#ordered = ordered;
  }

  push(entry: T): void {
    this.#waiting.set(this.#ordered ? entry.index : this.#arrivals++, entry);
    this.#wake?.();
  }

  /** No more will come. */
  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  /** The next `take` throws, whatever still waits. */
  fail(error: unknown): void {
    this.#fault ??= { error };
    this.#wake?.();
  }

  /** The next outcome, or undefined at the end. One taker at a time. */
  async take(): Promise<T | undefined> {
    for (;;) {
      if (this.#fault !== undefined) throw this.#fault.error;
      const entry = this.#waiting.get(this.#next);
      if (entry !== undefined) this.#waiting.delete(this.#next++);
      if (entry !== undefined || this.#ended) return entry;
      await new Promise<void>((resolve) => (this.#wake = resolve));
      this.#wake = undefined;
    }
  }
}
