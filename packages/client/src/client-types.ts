import type { Completion } from "./responses/completion.ts";
import type { CompletionRequest } from "./requests/completion-request.ts";
import type { ProfileName, ProfilePaths } from "./profiles.ts";
import type { RepeatOptions, RepeatReport } from "./repeat/repeat-completion.ts";
import type { APIPromise } from "./responses/api-promise.ts";
import type { CompletionStream } from "./streams/completion-stream.ts";
import type { Model } from "./catalogue/model.ts";
import type { Jobs } from "./jobs/jobs.ts";
import type { JobsOptions } from "./jobs/jobs-protocol.ts";
import type { ManyRequests, SampleManyOptions, SampleOutcome } from "./many/sample-many-types.ts";
import type { ModelDescription } from "./catalogue/model-description.ts";
import type { RuleOutcome } from "./requests/rules/request-rule.ts";
import type { RawRequest, RawResponse } from "./requests/raw-request.ts";
import type { ServerRoutes } from "./requests/server-routes.ts";
import type { CountOptions, PromptCount } from "./requests/tokens/prompt-counter.ts";
import type { Tokenizer } from "./requests/tokens/tokenizer.ts";
import type { ModelFacts } from "./catalogue/model-facts.ts";
import type { ModelStatus } from "./catalogue/model-status.ts";
import type { ClientWarning } from "./client-warning.ts";
import type { InProcessServer } from "./transport/in-process-transport.ts";

/** How a client reaches its server. Everything is optional where the environment names the server; times are milliseconds. */
export interface ClientOptions<P extends ProfileName = "acs"> {
  /** Ends in `/v1`. Default: the environment's `ACS_API_BASE`. */
  baseURL?: string;
  /** Sent as `Authorization: Bearer …`. Default: the environment's `ACS_API_KEY`; left out when there is none. */
  apiKey?: string;
  /** What kind of server this is (acs). Requests and routes are typed by it. */
  profile?: P;
  /** Counts the tokens of texts as the server does, so that limits on them can be checked exactly. */
  tokenizer?: Tokenizer;
  /** Fields of completion requests that the server takes and the profile does not know: sent as they are, checked by nothing. */
  extraFields?: readonly string[];
  /** Routes, where the server has other ones than its profile. */
  paths?: Partial<ProfilePaths>;
  /** How the server speaks of jobs, where it is otherwise than assumed. */
  jobs?: JobsOptions;
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
  /** Bytes that one event of a stream may have (134217728). */
  longestEvent?: number;
  /** The most connections at once. Default: as many as there are requests. */
  connections?: number;
  /** The address of a proxy, or `false` for none. Default: as the environment says (HTTP_PROXY, HTTPS_PROXY, NO_PROXY). */
  proxy?: string | false;
  /** Sends with this instead of an undici pool, for browsers and tests. `connections` and `proxy` do not apply to it. */
  fetch?: typeof fetch;
  /**
   * A server in this process: bodies pass as they are, over no connection and not as JSON. It has no address, so `baseURL` is
   * left out.
   */
  server?: InProcessServer;
  /** Milliseconds for which the catalogue is kept (300000); 0 asks every time. */
  catalogueTTL?: number;
  /** What you know of models, by id, where the catalogue does not say it. */
  models?: Readonly<Record<string, ModelFacts>>;
  /** Called with each warning. Default: a process warning, or the console of a browser. */
  onWarning?: (warning: ClientWarning) => void;
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
  /** Bytes that one event of a stream may have. */
  longestEvent?: number;
  /** Instead of the client's. */
  tokenizer?: Tokenizer;
}

/** The completions of a client, typed by its profile. */
export interface Completions<P extends ProfileName = "acs"> {
  /**
   * POST /completions: every choice of every prompt, in index order (choice i of prompt p is `choices[p * n + i]`). Throws
   * InvalidRequestError before sending, and APIError, APIConnectionError, APITimeoutError or APIAbortError after.
   */
  create(
    request: CompletionRequest<P> & { stream?: false | null },
    options?: RequestOptions,
  ): APIPromise<Completion>;
  /**
   * With `stream: true`: resolves once the headers have come, to the chunks as they come. Throws as above; the loop throws
   * StreamInterrupted where the stream ends before `data: [DONE]`.
   */
  create(
    request: CompletionRequest<P> & { stream: true },
    options?: RequestOptions,
  ): APIPromise<CompletionStream>;
  /** Where the type does not say whether it streams. */
  create(
    request: CompletionRequest<P>,
    options?: RequestOptions,
  ): APIPromise<Completion> | APIPromise<CompletionStream>;
  /**
   * Sends many requests, as many at once as the server takes, and gives an outcome for each: its completion or its error. One
   * that fails does not end the run. Throws what ends it: APIAbortError, JournalError, and what `requests` itself throws.
   * Leaving the loop aborts what is in flight.
   */
  sampleMany<R extends CompletionRequest<P>>(
    requests: ManyRequests<R>,
    options?: SampleManyOptions,
  ): AsyncGenerator<SampleOutcome<R>, void, undefined>;
  /**
   * What each rule over several fields says of a request, with its sum, and nothing is sent to be completed. The catalogue
   * is asked (once), and a tokenizer where there is one. Throws InvalidRequestError only for a field by itself.
   */
  check(request: CompletionRequest<P>, options?: RequestOptions): Promise<RuleOutcome[]>;
  /**
   * Sends the same request several times and compares the answers: whether the texts agree, where they part, and the
   * spread of the log probabilities. The request must be at temperature 0 or seeded; `logprobs: 2` is added when it has none.
   */
  repeat(
    request: CompletionRequest<P> & { stream?: false | null },
    options?: RepeatOptions,
  ): Promise<RepeatReport>;
}

/** The catalogue of a server. */
export interface Models {
  /** GET /models, asked anew; callers at one time share one request. */
  list(options?: RequestOptions): Promise<Model[]>;
  /**
   * The entry of one model in the catalogue, which is kept; `refresh` asks again. Throws InvalidRequestError with the ids
   * there are.
   */
  retrieve(id: string, options?: RequestOptions & { refresh?: boolean }): Promise<Model>;
  /**
   * GET /models/{id}/status (hosted API): whether the model is warm, and how far its start is. Throws APIError
   * `model_status_not_found` where the server has no such route.
   */
  status(id: string, options?: RequestOptions): Promise<ModelStatus>;
}

/** A client of one kind of server, with the routes that this kind has. */
export type Client<P extends ProfileName = "acs"> = CommonClient<P> &
  ServerRoutes[P] &
  (P extends "acs" ? JobsOfClient : unknown);

interface JobsOfClient {
  /** Completions that run without a connection. */
  readonly jobs: Jobs;
}

interface CommonClient<P extends ProfileName> {
  readonly baseURL: string;
  readonly profile: P;
  readonly completions: Completions<P>;
  readonly models: Models;
  /** The one that was given, else left out. */
  readonly tokenizer?: Tokenizer;
  /**
   * What is known of a model and from where. The catalogue is asked once and kept (`catalogueTTL`); `refresh` asks again.
   * Without `model` the catalogue must have exactly one.
   */
  describe(model?: string, options?: RequestOptions & { refresh?: boolean }): Promise<ModelDescription>;
  /**
   * How many tokens a prompt has, with the special tokens that the model adds: exactly for token ids, and for a text where
   * there is a tokenizer or the server has POST /tokenize; else between bounds. Throws APIAbortError.
   */
  countTokens(prompt: string | readonly number[], options?: CountOptions): Promise<PromptCount>;
  /**
   * Notes what an answer showed of a model, for later descriptions: it fills what is otherwise unknown. Throws
   * `invalid_option`.
   */
  observe(model: string, facts: ModelFacts): void;
  /**
   * Any route of the server, past every check of requests, over the client's connections, with its retries and its key.
   * Throws as `completions.create` does after sending.
   */
  request(request: RawRequest, options?: RequestOptions): Promise<RawResponse>;
  /** Ends idle connections after the requests in flight. */
  close(): Promise<void>;
}
