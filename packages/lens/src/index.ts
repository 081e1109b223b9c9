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
export { captureLimit, CaptureLimitError, captureNumbers, type CaptureSize } from "./capture-limit.ts";
export { createLens } from "./create-lens.ts";
export { bf16ToFloat32, float32ToBf16 } from "./bfloat16.ts";
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
} from "./steering-vector.ts";
export { decodeTensor, encodeTensor, type Tensor } from "./tensor-codec.ts";
export { TensorError } from "./tensor-error.ts";
export { steeringLimits, steeringNumbers } from "./steering-request.ts";
export { VerificationError } from "./verification-error.ts";
