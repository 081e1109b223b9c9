import type { Completion } from "./responses/completion.ts";
import type { CompletionRequest } from "./requests/completion-request.ts";
import type { ProfileName, ProfilePaths } from "./profiles.ts";
import type { APIPromise } from "./responses/api-promise.ts";
import type { CompletionStream } from "./streams/completion-stream.ts";
import type { Model } from "./catalogue/model.ts";
import type { Jobs } from "./jobs/jobs.ts";
import type { JobsOptions } from "./jobs/jobs-protocol.ts";
import type { ManyRequests, SampleManyOptions, SampleOutcome } from "./many/sample-many-types.ts";
import type { ModelDescription } from "./catalogue/model-description.ts";

export interface ClientOptions {
  /** Ends in `/v1`. Default: the environment's `ACS_API_BASE`. */
  baseURL?: string;
  /** Sent as `Authorization: Bearer …`. Default: the environment's `ACS_API_KEY`; left out when there is none. */
  apiKey?: string;
  /** What kind of server this is. */
  profile?: ProfileName;
  /** Routes, where the server has other ones than its profile. */
  paths?: Partial<ProfilePaths>;
  /** How the server speaks of jobs, where it is otherwise than assumed. */
  jobs?: JobsOptions;
  /** Tries after the first one (2). */
  maxRetries?: number;
  /** Milliseconds for one try, body included (900000: long enough for a cold boot). */
  timeout?: number;
  /** Extra headers for every request. */
  headers?: Readonly<Record<string, string>>;
  /** Milliseconds of back-off: the first wait (500), doubled each time up to the longest (8000), less up to a quarter of jitter. */
  backoff?: { first?: number; longest?: number };
  /** Milliseconds: a server that asks for a longer wait than this is not asked again (60000). */
  longestRetryAfter?: number;
  /** Bytes that one event of a stream may have (134217728). */
  longestEvent?: number;
  /** Sends with this instead of an undici pool, for browsers and tests. */
  fetch?: typeof fetch;
}

export interface RequestOptions {
  signal?: AbortSignal;
  timeout?: number;
  maxRetries?: number;
  headers?: Readonly<Record<string, string>>;
  /** Bytes that one event of a stream may have. */
  longestEvent?: number;
}

export interface Completions {
  /**
   * POST /completions. Throws InvalidRequestError before sending, APIError and its relatives after. With `stream: true`
   * the answer is a stream of chunks.
   */
  create(request: CompletionRequest & { stream?: false }, options?: RequestOptions): APIPromise<Completion>;
  create(
    request: CompletionRequest & { stream: true },
    options?: RequestOptions,
  ): APIPromise<CompletionStream>;
  create(
    request: CompletionRequest,
    options?: RequestOptions,
  ): APIPromise<Completion> | APIPromise<CompletionStream>;
  /**
   * Sends many requests, as many at once as the server takes, and gives an outcome for each: its completion or its error. One
   * that fails does not end the run. Throws what ends it: APIAbortError, JournalError, and what `requests` itself throws.
   * Leaving the loop aborts what is in flight.
   */
  sampleMany<R extends CompletionRequest>(
    requests: ManyRequests<R>,
    options?: SampleManyOptions,
  ): AsyncGenerator<SampleOutcome<R>, void, undefined>;
}

export interface Client {
  readonly baseURL: string;
  readonly profile: ProfileName;
  readonly completions: Completions;
  readonly jobs: Jobs;
  readonly models: {
    /** GET /models. */
    list(options?: RequestOptions): Promise<Model[]>;
  };
  /**
   * What is known of a model and from where. The catalogue is asked once and kept; `refresh` asks again. Without `model`
   * the catalogue must have exactly one.
   */
  describe(model?: string, options?: RequestOptions & { refresh?: boolean }): Promise<ModelDescription>;
  /** Ends idle connections after the requests in flight. */
  close(): Promise<void>;
}
