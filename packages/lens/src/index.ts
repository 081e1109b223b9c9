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
export { encodeNpy, type NpyOptions, parseNpy, readNpy, writeNpy } from "./formats/npy/npy.ts";
export { encodeNpz, type NpzFile, parseNpz, readNpz, writeNpz } from "./formats/npy/npz.ts";
export type { PickleValue } from "./formats/pickle/pickle-value.ts";
export { PtTensor } from "./formats/pt/pt-tensor.ts";
export { parsePt, readPt } from "./formats/pt/read-pt.ts";
export {
  convertLayer,
  type LayerConvention,
  layerConventions,
  type LayerConversion,
} from "./formats/conventions/layer-convention.ts";
export {
  layerOfTransformerLensName,
  type TransformerLensWeights,
} from "./formats/conventions/transformer-lens-name.ts";
export type { LayerRows } from "./formats/layer-rows.ts";
export { readCaaVector } from "./formats/origins/caa.ts";
export type { TokenChoice } from "./formats/origins/chosen-tokens.ts";
export { readGeometryOfTruth } from "./formats/origins/geometry-of-truth.ts";
export { fromHuggingFaceHiddenStates, fromTransformerLens } from "./formats/origins/hidden-states.ts";
export {
  readRefusalDirection,
  readRefusalMeanDifferences,
  type RefusalDirection,
} from "./formats/origins/refusal-direction.ts";
export { readSteerkitProbe, type SteerkitProbe } from "./formats/origins/steerkit.ts";
export { readVllmHiddenStates, type VllmHiddenStates } from "./formats/origins/vllm-hidden-states.ts";
