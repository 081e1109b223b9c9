import { APIAbortError, APIError } from "@residua/lens";
import { DatasetError } from "../dataset/dataset-error.ts";
import type { CollectFailure } from "./collect-failure.ts";

/** So many captures one after the other that all fail are a server that is down, or a request that it never takes. */
const failuresInARow = 20;
/** From this many examples on, more than half of them failing ends a run. */
const shareFrom = 40;
const share = 0.5;

/** Whether every later request would fail in the same way, or the rows could not be kept: such an error is no example's own. */
export function endsRun(error: unknown): boolean {
  if (error instanceof APIAbortError) return true;
  if (error instanceof DatasetError) return true;
  if (!(error instanceof APIError)) return false;
  return error.status === 401 || /budget|quota|unauthorized/.test(error.code);
}

/** Counts how one run goes, and says when it cannot go on. */
export class FailureLimit {
  readonly #folder: string;
  readonly #most: number | undefined;
  #tried = 0;
  #failed = 0;
  #inARow = 0;

  constructor(folder: string, most: number | undefined) {
    this.#folder = folder;
    this.#most = most;
  }

  succeeded(): void {
    this.#tried++;
    this.#inARow = 0;
  }

  /** Throws DatasetError `too_many_failures`, whose cause is the last error. */
  failed(failure: CollectFailure, cause: unknown): void {
    this.#tried++;
    this.#failed++;
    this.#inARow++;
    const why = this.#why();
    if (why === undefined) return;
    const { example, name, code, message } = failure;
    throw new DatasetError("too_many_failures", {
      path: this.#folder,
      found: `${why}; the last, example ${JSON.stringify(example)}, by ${name}${code === null ? "" : ` ${code}`}: ${message}`,
      expected: "captures that mostly succeed",
      advice:
        "Mend the cause and run the same collection again: it goes on where it was, and tries these again. maxFailures states another limit.",
      cause,
    });
  }

  #why(): string | undefined {
    if (this.#most !== undefined)
      return this.#failed > this.#most
        ? `${this.#failed} examples failed, and maxFailures is ${this.#most}`
        : undefined;
    if (this.#inARow >= failuresInARow) return `${this.#inARow} examples failed one after the other`;
    const mostly = this.#tried >= shareFrom && this.#failed > share * this.#tried;
    return mostly ? `${this.#failed} of ${this.#tried} examples failed` : undefined;
  }
}
