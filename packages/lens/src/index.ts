export {
  APIAbortError,
  APIConnectionError,
  APIError,
  APITimeoutError,
  type Completion,
  InvalidRequestError,
  type Known,
  type ModelDescription,
  type RequestIssue,
  ResiduaError,
} from "@residua/client";
export { captureLimit, CaptureLimitError, captureNumbers, type CaptureSize } from "./limits/capture-limit.ts";
export { createLens, type CreateLensOptions } from "./create-lens.ts";
export { lensProfiles } from "./profiles/choose-profile.ts";
export type { FieldPath, LensProfile } from "./profiles/lens-profile.ts";
export { bf16ToFloat32, float32ToBf16 } from "./codec/bfloat16.ts";
export type {
  Capture,
  CaptureCheck,
  CapturedToken,
  CaptureRequest,
  GenerateRequest,
  Lens,
  LensOptions,
} from "./lens-types.ts";
export {
  SteeringError,
  type SteeringVector,
  steeringVector,
  type SteeringVectorOptions,
} from "./steering/steering-vector.ts";
export { decodeTensor, encodeTensor, type Tensor } from "./codec/tensor-codec.ts";
export { TensorError } from "./codec/tensor-error.ts";
export { steeringLimits, steeringNumbers } from "./steering/steering-request.ts";
export { VerificationError } from "./verify/verification-error.ts";
export type { SelfTestOptions, SelfTestReport } from "./self-test/self-test.ts";
export { selfTestChecks } from "./self-test/check-list.ts";
export type {
  Measured,
  SelfTestCheck,
  SelfTestCode,
  SelfTestResult,
  SelfTestStatus,
} from "./self-test/self-test-check.ts";
export { failedNeeds, type SelfTestNeed, selfTestNeeds } from "./self-test/self-test-needs.ts";
export type { Unembedding } from "./self-test/self-test-context.ts";
export type { ServerBehaviour } from "./self-test/server-behaviour.ts";
export type { ServerFingerprint } from "./self-test/server-fingerprint.ts";
