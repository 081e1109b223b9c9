import type { Completion } from "./responses/completion.ts";
import type { CompletionRequest } from "./requests/completion-request.ts";
import type { ProfileName, ProfilePaths } from "./profiles.ts";
import type { APIPromise } from "./responses/api-promise.ts";
import type { CompletionStream } from "./streams/completion-stream.ts";
import type { Model } from "./catalogue/model.ts";
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
  /** Tries after the first one (2). */
  maxRetries?: number;
  /**
   * Milliseconds for one try, its body included; or a limit for each part. Defaults: `connect` 30000, `headers` and `body`
   * 900000 (as long as a cold boot), `total` 3600000.
   */
  timeout?: number | Timeouts;
  /** Which faults are tried again: `repeatable`. */
  retry?: RetryChoice;
  /** Milliseconds from the first fault on in which another try may begin (900000: as long as a cold boot). */
  maxRetryTime?: number;
  /** Extra headers for every request. */
  headers?: Readonly<Record<string, string>>;
  /** Milliseconds of back-off: the first wait (500), doubled each time up to the longest (8000), less up to a quarter of jitter. */
  backoff?: { first?: number; longest?: number };
  /** Milliseconds: a server that asks for a longer wait than this is not asked again (60000). */
  longestRetryAfter?: number;
  /** Bytes of an answer, decompressed (1073741824); one with more is an error as soon as they have come. */
  maxResponseBytes?: number;
  /** The most connections at once. Default: as many as there are requests. */
  connections?: number;
  /** The address of a proxy, or `false` for none. Default: as the environment says (HTTP_PROXY, HTTPS_PROXY, NO_PROXY). */
  proxy?: string | false;
  /** Sends with this instead of an undici pool, for browsers and tests. `connections` and `proxy` do not apply to it. */
  fetch?: typeof fetch;
}

/** Milliseconds; what is left out has its default. */
export interface Timeouts {
  /** Until a connection stands. A request cannot have longer than its client. */
  connect?: number;
  /** From then until the answer's headers. */
  headers?: number;
  /** The longest silence within the answer. */
  body?: number;
  /** The whole try, of a stream too. */
  total?: number;
}

/**
 * `repeatable`: connection refused, a kept connection that was closed, 429 and 503 always; timeouts, broken answers and 502
 * only for a request with a seed or at temperature 0. `always`: these too, whatever the request. `never`: nothing.
 */
export type RetryChoice = "never" | "repeatable" | "always";

/** Each over the client's own. */
export interface RequestOptions {
  signal?: AbortSignal;
  timeout?: number | Timeouts;
  maxRetries?: number;
  retry?: RetryChoice;
  maxRetryTime?: number;
  maxResponseBytes?: number;
  headers?: Readonly<Record<string, string>>;
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
}

export interface Client {
  readonly baseURL: string;
  readonly profile: ProfileName;
  readonly completions: Completions;
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
