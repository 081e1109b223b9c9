/** How a stream ended, and those who wait for it. */
export class StreamEnding {
  #outcome: { error: Error | undefined } | undefined;
  #waiters: { promise: Promise<void>; resolve: () => void; reject: (error: Error) => void }[] = [];

  get ended(): boolean {
    return this.#outcome !== undefined;
  }

  get error(): Error | undefined {
    return this.#outcome?.error;
  }

  /** Somebody will learn of it. */
  get awaited(): boolean {
    return this.#waiters.length > 0;
  }

  /** Sets how it ended, without telling yet. */
  set(error: Error | undefined): void {
    this.#outcome = { error };
  }

  /** Tells those who wait. `known`: the error reaches a reader too, so that a promise which nobody awaits may fail. */
  tell(known: boolean): void {
    const error = this.error;
    for (const { promise, resolve, reject } of this.#waiters) {
      if (known) promise.catch(() => undefined);
      if (error === undefined) resolve();
      else reject(error);
    }
    this.#waiters = [];
  }

  /** Resolves at the end, rejects with its error. */
  wait(): Promise<void> {
    if (this.#outcome !== undefined) {
      return this.error === undefined ? Promise.resolve() : Promise.reject(this.error);
    }
    let resolve: () => void = () => undefined;
    let reject: (error: Error) => void = () => undefined;
    const promise = new Promise<void>((yes, no) => ([resolve, reject] = [yes, no]));
    this.#waiters.push({ promise, resolve, reject });
    return promise;
  }
}
