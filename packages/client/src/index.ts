export { APIAbortError, APIConnectionError, APIError, APITimeoutError } from "./transport/api-error.ts";
export { checkFields, type FieldCheck } from "./requests/check-fields.ts";
export { checkRequest } from "./requests/check-request.ts";
export type { Client, ClientOptions, Completions, RequestOptions } from "./client-types.ts";
export { acsFields as completionFields } from "./requests/fields/acs-fields.ts";
export type { Endpoint, RequestOf } from "./requests/endpoints/endpoint.ts";
export { endpoints } from "./requests/endpoints/endpoints.ts";
export type { Field } from "./requests/fields/field.ts";
export type { WireSteeringVector } from "./requests/fields/wire-steering.ts";
export type { WireTensor } from "./requests/fields/wire-tensor.ts";
export type { RequestRule, RuleOutcome } from "./requests/rules/request-rule.ts";
export { type JSONSchema, requestJSONSchema } from "./requests/request-json-schema.ts";
export { serverTokenizer } from "./requests/tokens/server-tokenizer.ts";
export type { Encoded, Tokenizer } from "./requests/tokens/tokenizer.ts";
export type {
  Detokenization,
  DetokenizeRequest,
  Health,
  ServerRoutes,
  ServerVersion,
  Tokenization,
  TokenizeRequest,
} from "./requests/server-routes.ts";
export type { Choice, Completion, Logprobs, PromptLogprobs, Usage } from "./responses/completion.ts";
export type { CompletionRequest, JobRequest } from "./requests/completion-request.ts";
export { createClient } from "./create-client.ts";
export { InvalidRequestError, type RequestIssue } from "./requests/invalid-request-error.ts";
export type { Model } from "./catalogue/model.ts";
export { type Known, type ModelDescription } from "./catalogue/model-description.ts";
export { ResiduaError } from "./residua-error.ts";
export { APIPromise, type WithResponse } from "./responses/api-promise.ts";
export type { CompletionChunk } from "./streams/completion-chunk.ts";
export { CompletionStream } from "./streams/completion-stream.ts";
export type { FromReadable } from "./streams/from-readable.ts";
export type { Shape } from "./streams/completion-collector.ts";
export type { StreamEvents } from "./streams/stream-events.ts";
export { StreamInterrupted } from "./streams/stream-interrupted.ts";
export type { ProfileName, ProfilePaths } from "./profiles.ts";
export { JournalError } from "./journal/journal-error.ts";
export type {
  JournalOptions,
  ManyRequests,
  PackedShare,
  SampleFailure,
  SampleManyOptions,
  SampleOutcome,
  SampleProgress,
  SampleSuccess,
} from "./many/sample-many-types.ts";
