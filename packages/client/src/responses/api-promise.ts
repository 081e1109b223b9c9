/** An answer with what its HTTP head said. */
export interface WithResponse<T> {
  data: T;
  response: { status: number; headers: Readonly<Record<string, string | undefined>> };
  requestID: string | undefined;
}

/** A promise of the data whose `withResponse()` also gives the status, the headers and the request's id. */
export class APIPromise<T> extends Promise<T> {
  readonly #answer: Promise<WithResponse<T>>;

  constructor(answer: Promise<WithResponse<T>>) {
    super((resolve, reject) => {
      answer.then(({ data }) => resolve(data), reject);
    });
    this.#answer = answer;
  }

  /** `then` and its relatives give plain promises. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  /** The data with the status, the headers and the request's id. Rejects as the promise itself does. */
  withResponse(): Promise<WithResponse<T>> {
    // The fault is the caller's through the promise returned; this one is not looked at any more.
    this.catch(() => undefined);
    return this.#answer;
  }
}
