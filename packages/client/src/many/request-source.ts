import type { ManyRequests } from "./sample-many-types.ts";

/**
 * Reads requests one at a time without waiting: a synchronous iterable gives its next at once; of an asynchronous one up to
 * `ahead` are read beforehand, and `onArrival` says that one has come.
 */
export class RequestSource {
  readonly #sync: Iterator<unknown> | undefined;
  readonly #async: AsyncIterator<unknown> | undefined;
  readonly #ahead: number;
  readonly #onArrival: () => void;
  readonly #arrived: unknown[] = [];
  #reading = false;
  #exhausted = false;
  #fault: { error: unknown } | undefined;

  constructor(
    requests: ManyRequests<unknown>,
    { ahead, onArrival }: { ahead: number; onArrival: () => void },
  ) {
    if (Symbol.asyncIterator in requests) this.#async = requests[Symbol.asyncIterator]();
    else this.#sync = requests[Symbol.iterator]();
    this.#ahead = ahead;
    this.#onArrival = onArrival;
  }

  /** The next request; undefined when none is there now or any more. Throws what the iterable threw, after its last request. */
  next(): { request: unknown } | undefined {
    if (this.#sync !== undefined) return this.#step(() => this.#sync?.next());
    if (this.#arrived.length > 0) {
      const request = this.#arrived.shift();
      this.#read();
      return { request };
    }
    this.#read();
    if (this.#fault !== undefined) throw this.#fault.error;
    return undefined;
  }

  /** Whether everything was read. */
  get ended(): boolean {
    return this.#exhausted && this.#arrived.length === 0;
  }

  /** Lets the iterable clean up when it was not read to its end. */
  async close(): Promise<void> {
    if (this.#exhausted) return;
    this.#exhausted = true;
    this.#sync?.return?.();
    // One that is in the midst of a read ends after it, which may be never.
    const ending = this.#async?.return?.();
    if (!this.#reading) await ending;
    else ending?.catch(() => undefined);
  }

  #step(step: () => IteratorResult<unknown> | undefined): { request: unknown } | undefined {
    if (this.#exhausted) return undefined;
    let result;
    try {
      result = step();
    } catch (error) {
      this.#exhausted = true;
      throw error;
    }
    if (result?.done === false) return { request: result.value };
    this.#exhausted = true;
    return undefined;
  }

  #read(): void {
    if (this.#reading || this.#exhausted || this.#async === undefined) return;
    if (this.#arrived.length >= this.#ahead) return;
    this.#reading = true;
    this.#async.next().then(
      ({ done, value }) => {
        this.#reading = false;
        if (done === true) this.#exhausted = true;
        else this.#arrived.push(value);
        this.#read();
        this.#onArrival();
      },
      (error: unknown) => {
        this.#reading = false;
        this.#exhausted = true;
        this.#fault = { error };
        this.#onArrival();
      },
    );
  }
}
