import type { RequestOptions } from "./client-types.ts";
import type { ModelDescription } from "./catalogue/model-description.ts";
import type { Endpoint, RequestOf } from "./requests/endpoints/endpoint.ts";
import type { ModelFacts } from "./catalogue/model-facts.ts";
import type { ProfileName, ProfilePaths } from "./profiles.ts";
import type { APIConnectionError, APIError } from "./transport/api-error.ts";
import type { Answer, OpenAnswer } from "./transport/send-request.ts";

/** One request as a resource makes it. */
export interface Call {
  method: "GET" | "POST" | "DELETE";
  /** Under the base URL, which ends in `/v1`. */
  path: string;
  /** Relative to the server's root instead, such as vLLM's `/tokenize`. */
  root?: boolean;
  /** Sent as JSON. */
  body?: object;
  /** Sending it twice gives the same answer. A GET is. */
  repeatable?: boolean;
  /** Asked before each further try; false throws the error at once. For who paces itself, and for what must not be made twice. */
  mayRetry?: (error: APIError | APIConnectionError) => boolean;
  /** A 2xx body for which this holds is an answer even with `error` in it, as a job that failed has. */
  accepts?: (body: unknown) => boolean;
  /** A 2xx body is taken as it is, as a Uint8Array; left out, it must be JSON. */
  bytes?: boolean;
}

/** What the resources of a client (completions, jobs, models, …) stand on. */
export interface ClientCore {
  readonly baseURL: string;
  readonly profile: ProfileName;
  readonly paths: ProfilePaths;
  /** Fields of completion requests that the profile does not know and the server does: sent as they are. */
  readonly extraFields: readonly string[];
  /** Bytes that one event of a stream may have. */
  readonly longestEvent: number;
  /** Sends and reads a JSON answer. Throws APIError and its relatives. */
  send(call: Call, options?: RequestOptions): Promise<Answer>;
  /** Sends and hands on the answer as a stream once its headers have come. */
  open(call: Call, options?: RequestOptions): Promise<OpenAnswer>;
  /** What is known of a model and from where; the catalogue is asked once and kept. */
  describe(model?: string, options?: RequestOptions & { refresh?: boolean }): Promise<ModelDescription>;
  /** The request as it is sent, every field and rule checked. Throws InvalidRequestError. */
  prepare<E extends Endpoint>(
    request: RequestOf<E>,
    endpoint: E,
    options?: RequestOptions,
  ): Promise<RequestOf<E>>;
  /** Notes what answers showed of a model. It fills what is otherwise unknown, and never the hidden size of limits. */
  observe(model: string, facts: ModelFacts): void;
  /**
   * Notes which server and which checkpoint gave an answer, or a chunk of one, and warns when they are others than before.
   * `model` is the id that was asked for.
   */
  notice(
    model: string | undefined,
    answer: { model?: string | null | undefined; system_fingerprint?: string | null | undefined },
    requestID?: string,
  ): void;
}
