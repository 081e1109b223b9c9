export { APIAbortError, APIConnectionError, APIError, APITimeoutError } from "./transport/api-error.ts";
export { checkFields, type FieldCheck } from "./requests/check-fields.ts";
export { checkRequest } from "./requests/check-request.ts";
export type {
  Client,
  ClientOptions,
  Completions,
  RequestOptions,
  RetryChoice,
  Timeouts,
} from "./client-types.ts";
export type { Choice, Completion, Logprobs, PromptLogprobs, Usage } from "./responses/completion.ts";
export type { CompletionRequest, WireSteeringVector, WireTensor } from "./requests/completion-request.ts";
export { createClient } from "./create-client.ts";
export { InvalidRequestError, type RequestIssue } from "./requests/invalid-request-error.ts";
export type { Model } from "./catalogue/model.ts";
export { type Known, type ModelDescription } from "./catalogue/model-description.ts";
export { completionFields, type RequestField } from "./requests/request-fields.ts";
export { requestRules, type RequestRule } from "./requests/request-rules.ts";
export { ResiduaError } from "./residua-error.ts";
export { APIPromise, type WithResponse } from "./responses/api-promise.ts";
export type { CompletionChunk } from "./streams/completion-chunk.ts";
export { CompletionStream } from "./streams/completion-stream.ts";
export { retryByCode } from "./transport/retry-policy.ts";
export type { TimeLimits } from "./transport/try-clock.ts";
export type { ProfileName, ProfilePaths } from "./profiles.ts";
