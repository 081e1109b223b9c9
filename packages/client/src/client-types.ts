import type { Completion } from "./completion.ts";
import type { CompletionRequest } from "./completion-request.ts";
import type { Model } from "./model.ts";
import type { ModelDescription } from "./model-description.ts";

export interface ClientOptions {
  /** Ends in `/v1`. Default: the environment's `ACS_API_BASE`. */
  baseURL?: string;
  /** Sent as `Authorization: Bearer …`. Default: the environment's `ACS_API_KEY`; left out when there is none. */
  apiKey?: string;
  /** What kind of server this is. */
  profile?: "acs";
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
  /** Sends with this instead of an undici pool, for browsers and tests. */
  fetch?: typeof fetch;
}

export interface RequestOptions {
  signal?: AbortSignal;
  timeout?: number;
  maxRetries?: number;
  headers?: Readonly<Record<string, string>>;
}

export interface Client {
  readonly baseURL: string;
  readonly profile: "acs";
  readonly completions: {
    /** POST /completions. Throws InvalidRequestError before sending, APIError and its relatives after. */
    create(request: CompletionRequest, options?: RequestOptions): Promise<Completion>;
  };
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
