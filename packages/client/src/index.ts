export { APIAbortError, APIConnectionError, APIError, APITimeoutError } from "./transport/api-error.ts";
export { checkFields, type FieldCheck } from "./requests/check-fields.ts";
export { checkRequest } from "./requests/check-request.ts";
export type { Client, ClientOptions, Completions, RequestOptions } from "./client-types.ts";
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
export type { Job, JobHandle } from "./jobs/job.ts";
export { JobError, JobFailedError } from "./jobs/job-error.ts";
export type { Jobs } from "./jobs/jobs.ts";
export type { JobsOptions, JobsProtocol, JobStatus } from "./jobs/jobs-protocol.ts";
export type { WaitOptions } from "./jobs/wait-for-job.ts";
