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
export {
  captureLimit,
  CaptureLimitError,
  captureNumbers,
  type CaptureSize,
  type WouldFit,
} from "./limits/capture-limit.ts";
export { createLens, type CreateLensOptions } from "./create-lens.ts";
export {
  depth,
  type LayerChoice,
  type LayerChoices,
  type LayerDepth,
  layerRange,
} from "./layers/layer-choice.ts";
export type {
  CaptureOutcome,
  FanOutRequest,
  FanOutRequests,
  GenerateOutcome,
  ManyOptions,
  ManyRun,
  Place,
} from "./fan-out/fan-out-types.ts";
export type { HookBlob } from "./hooks/hook-blob.ts";
export { HookError } from "./hooks/hook-error.ts";
export { type HookResult, type HookValue, readHookResults } from "./hooks/hook-results.ts";
export type { Hooks } from "./hooks/make-hooks.ts";
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
export type { SpanMatch } from "./select/find-spans.ts";
export { select, type SelectedLayer, type SelectedRows } from "./select/select.ts";
export { SelectionError } from "./select/selection-error.ts";
export {
  everyToken,
  first,
  last,
  lastK,
  maxOf,
  meanOf,
  type PooledSelection,
  readSelection,
  type RowSelection,
  type Selection,
  span,
  type SpanOptions,
  type TokenArea,
} from "./select/selection.ts";
export { FormatError } from "./formats/format-error.ts";
export type { StoredArray, StoredDtype } from "./formats/arrays/stored-array.ts";
export { storedFloats, storeFloats } from "./formats/arrays/stored-floats.ts";
export {
  openSafetensors,
  parseSafetensors,
  type SafetensorsFile,
} from "./formats/safetensors/read-safetensors.ts";
export { encodeSafetensors, writeSafetensors } from "./formats/safetensors/write-safetensors.ts";
export {
  type ControlVector,
  encodeControlVector,
  parseControlVector,
  readControlVector,
  writeControlVector,
} from "./formats/gguf/control-vector.ts";
export type { LayerDirection, ModelSize } from "./formats/layer-direction.ts";
export type { Bounds } from "./plan/bounds.ts";
export type { CaptureRate } from "./plan/capture-rates.ts";
export type { CapturePlan, PlannedCapture, PlanRequest } from "./plan/plan-types.ts";
