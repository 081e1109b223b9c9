export { APIAbortError, APIConnectionError, APIError, APITimeoutError } from "./transport/api-error.ts";
export { checkFields, type FieldCheck } from "./requests/check-fields.ts";
export { checkRequest } from "./requests/check-request.ts";
export type {
  Client,
  ClientOptions,
  Completions,
  Models,
  RequestOptions,
  RetryChoice,
  Timeouts,
} from "./client-types.ts";
export type { ClientWarning } from "./client-warning.ts";
export { acsFields as completionFields } from "./requests/fields/acs-fields.ts";
export type { Endpoint, RequestOf } from "./requests/endpoints/endpoint.ts";
export { completionEndpoints, endpoints } from "./requests/endpoints/endpoints.ts";
export type { Field } from "./requests/fields/field.ts";
export type { WireSteeringVector } from "./requests/fields/wire-steering.ts";
export type { WireTensor } from "./requests/fields/wire-tensor.ts";
export type { RequestRule, RuleOutcome } from "./requests/rules/request-rule.ts";
export { type JSONSchema, requestJSONSchema } from "./requests/request-json-schema.ts";
export type { CountOptions, PromptCount } from "./requests/tokens/prompt-counter.ts";
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
export { asCompletion } from "./responses/completion.ts";
export type {
  Choice,
  Completion,
  CompletionBody,
  ContentLogprob,
  ContentLogprobs,
  ListedLogprobs,
  Logprobs,
  PromptLogprobs,
  Usage,
} from "./responses/completion.ts";
export type { CompletionRequest, JobRequest } from "./requests/completion-request.ts";
export { createClient } from "./create-client.ts";
export { InvalidRequestError, type RequestIssue } from "./requests/invalid-request-error.ts";
export type { Model } from "./catalogue/model.ts";
export { type Known, type ModelDescription, widthOf } from "./catalogue/model-description.ts";
export type { ModelFacts } from "./catalogue/model-facts.ts";
export type { ModelStatus } from "./catalogue/model-status.ts";
export { readLogprobs, type TokenLogprob, type TokenReading } from "./responses/read-logprobs.ts";
export {
  type PromptLogprobsOptions,
  type PromptTokenReading,
  type RankedToken,
  readPromptLogprobs,
} from "./responses/read-prompt-logprobs.ts";
export { sumUsage, type UsageSum } from "./responses/sum-usage.ts";
export { locateTokens, type TextOffset, toOffsets } from "./responses/locate-tokens.ts";
export { spellToken, type TokenSpelling } from "./responses/spell-token.ts";
export { type Piece, tokenPieces } from "./responses/token-pieces.ts";
export type { RawRequest, RawResponse } from "./requests/raw-request.ts";
export { ResiduaError } from "./residua-error.ts";
export { APIPromise, type WithResponse } from "./responses/api-promise.ts";
export type { CompletionChunk } from "./streams/completion-chunk.ts";
export { CompletionStream } from "./streams/completion-stream.ts";
export { retryByCode } from "./transport/retry-policy.ts";
export type { InProcessAnswer, InProcessRequest, InProcessServer } from "./transport/in-process-transport.ts";
export type { TimeLimits } from "./transport/try-clock.ts";
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
export {
  compareChoices,
  type RepeatDivergence,
  type RepeatedChoice,
  type RepeatedPosition,
} from "./repeat/compare-choices.ts";
export type { RepeatOptions, RepeatReport } from "./repeat/repeat-completion.ts";
export type { Spread } from "./repeat/spread.ts";
export type { Job, JobHandle } from "./jobs/job.ts";
export { JobError, JobFailedError } from "./jobs/job-error.ts";
export type { Jobs } from "./jobs/jobs.ts";
export type { JobsOptions, JobsProtocol, JobStatus } from "./jobs/jobs-protocol.ts";
export type { WaitOptions } from "./jobs/wait-for-job.ts";
