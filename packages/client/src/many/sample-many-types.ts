import type { RequestOptions } from "../client-types.ts";
import type { CompletionRequest } from "../requests/completion-request.ts";
import type { Completion } from "../responses/completion.ts";
import type { ResiduaError } from "../residua-error.ts";

/** Requests as `sampleMany` takes them. An iterable or async iterable is read as slots come free, never all at once. */
export type ManyRequests<R = CompletionRequest> = Iterable<R> | AsyncIterable<R>;

/** Beside its own, those of each request as `completions.create` takes them. */
export interface SampleManyOptions extends RequestOptions {
  /**
   * Requests in flight at most. Default: what the catalogue states (`max_inflight_per_key`), else 16. The catalogue's cap
   * holds over a larger number given here.
   */
  concurrency?: number;
  /** Requests started in any 60 seconds at most. Default: the catalogue's `rate_limit_per_minute`, else no limit. */
  ratePerMinute?: number;
  /** Outcomes in the order of the requests; default false: as they finish. */
  ordered?: boolean;
  /** Requests started whose outcome has not been taken, at most (8 × concurrency): bounds memory when the loop is slow. */
  window?: number;
  /** Ends the run: requests in flight are aborted and the iterator throws APIAbortError. */
  signal?: AbortSignal;
  /** Called after each outcome. What it throws ends the run. */
  onProgress?: (progress: SampleProgress) => void;
  /** How many requests there are, for the progress; an array tells by itself. */
  total?: number;
  /**
   * A file to which each outcome is written before it is handed out, and from which a later run with the same requests
   * goes on. Node and Deno only.
   */
  journal?: string | JournalOptions;
  /**
   * Base of seeds: a request without a seed of its own gets `seed` + the number of choices (n) that the requests before it
   * have, so that every choice of the run has its own seed and a rerun repeats. With n = 1 that is `seed` + index.
   */
  seed?: number;
  /**
   * Sends consecutive requests that differ only in prompt, or in nothing, as one request with many prompts or choices: true
   * for as many as the limits allow, or a number of requests at most.
   */
  pack?: boolean | number;
  /** Milliseconds that a request is put off while the server answers "busy" (900000), before that is its outcome. */
  longestWait?: number;
}

export interface JournalOptions {
  path: string;
  /**
   * What to do when a request is not the one that the journal has at its index, or the server is another: "refuse" (default)
   * ends the run with JournalError `journal_mismatch`; "reuse" takes over the outcomes of equal requests wherever they stand.
   */
  changed?: "refuse" | "reuse";
}

/** How a request of a pack was answered. */
export interface PackedShare {
  /** Requests that were sent as one. */
  requests: number;
  /**
   * "exact": `completion_tokens` is what this request's choices have. "estimated": the pack's total is exact and shared out
   * by length of text. `prompt_tokens` is always a share of what the pack counted: a prompt that several choices share is
   * counted once.
   */
  usage: "exact" | "estimated";
}

interface OutcomeOf<R> {
  /** Place in the list, from 0. */
  index: number;
  /** The request, with the seed that the run gave it. */
  request: R;
  /** Taken from the journal; nothing was sent in this run. */
  resumed?: true;
}

export interface SampleSuccess<R = CompletionRequest> extends OutcomeOf<R> {
  completion: Completion;
  error?: undefined;
  packed?: PackedShare;
}

export interface SampleFailure<R = CompletionRequest> extends OutcomeOf<R> {
  /** InvalidRequestError, APIError and its relatives, or ResiduaError `not_sent`. */
  error: ResiduaError;
  completion?: undefined;
}

export type SampleOutcome<R = CompletionRequest> = SampleSuccess<R> | SampleFailure<R>;

/** How far a run is. */
export interface SampleProgress {
  /** Outcomes so far, the failed and the resumed among them. */
  done: number;
  failed: number;
  /** Taken from the journal. */
  resumed: number;
  /** Requests sent over the wire, again-sent ones each time; a pack counts once. */
  sent: number;
  inFlight: number;
  total: number | undefined;
  /** Of this run, as the server counted them. */
  tokens: { prompt: number; completion: number };
  /** Over the last half minute: outcomes and generated tokens a second. */
  rates: { requests: number; tokens: number };
  /** Seconds since the start. */
  elapsed: number;
  /** Seconds to the end at this rate, when `total` is known and something was done. */
  eta: number | undefined;
  /** Requests in flight allowed now, and at most; `source` says where the latter is from. */
  concurrency: { now: number; cap: number; source: "catalogue" | "option" | "default" };
}
