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
  SteeredCompletion,
} from "./lens-types.ts";
export {
  type LayerRows,
  type SteeringVector,
  steeringVector,
  type SteeringVectorOptions,
} from "./steering/steering-vector.ts";
export { SteeringError } from "./steering/steering-error.ts";
export {
  type Direction,
  direction,
  negateDirection,
  normalizeDirection,
  scaleDirection,
} from "./steering/direction.ts";
export { addDirections, type AddOptions, orthogonalTo } from "./steering/combine-directions.ts";
export { parseSteering } from "./steering/expression/parse-steering.ts";
export { printSteering, type SteeringTerm } from "./steering/expression/steering-terms.ts";
export { type NamedDirections, steeringExpression } from "./steering/expression/steering-expression.ts";
export { loadDirections } from "./steering/store/load-directions.ts";
export { saeDirection, type SaeDirectionOptions } from "./steering/store/sae-direction.ts";
export { saveDirection, type SaveDirectionOptions } from "./steering/store/save-direction.ts";
export type { SteeringReport } from "./steering/proof/verify-steering.ts";
export type { LayerProof, SteeredRow, StillRow } from "./steering/proof/layer-proof.ts";
export { decodeTensor, encodeTensor, type Tensor } from "./codec/tensor-codec.ts";
export { TensorError } from "./codec/tensor-error.ts";
export { steeringLimits, steeringNumbers } from "./steering/steering-request.ts";
export { VerificationError } from "./verify/verification-error.ts";
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
