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
  wouldFitText,
} from "./limits/capture-limit.ts";
export type { ChatEncoder, EncodedText } from "./chat/chat-encoder.ts";
export { ChatError } from "./chat/chat-error.ts";
export type { ChatMessage } from "./chat/chat-message.ts";
export type { EncodeChatRequest } from "./chat/encode-chat-request.ts";
export { encodeChatWith } from "./chat/encode-chat-with.ts";
export type { ChatSpan, ChatTemplateFacts, EncodedChat } from "./chat/encoded-chat.ts";
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
export { type Intervention, intervention, type InterventionOptions } from "./interventions/intervention.ts";
export type {
  DirectionTokens,
  LikelyToken,
  LocalAbilities,
  LogitLens,
  LogitLensOptions,
  LogitLensPrompt,
  LogitLensReading,
  OneToken,
  ScoredToken,
  TopTokensOptions,
} from "./local/local-abilities.ts";
export type { HookBlob } from "./hooks/hook-blob.ts";
export { HookError } from "./hooks/hook-error.ts";
export { type HookResult, type HookValue, readHookResults } from "./hooks/hook-results.ts";
export type { Hooks } from "./hooks/make-hooks.ts";
export { type LensProfileName, lensProfiles } from "./profiles/choose-profile.ts";
export type { FieldPath, LensProfile } from "./profiles/lens-profile.ts";
export type { ServerFacts } from "./profiles/server-facts.ts";
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
  type SteeringRows,
  type SteeringVector,
  steeringVector,
  type SteeringVectorOptions,
} from "./steering/steering-vector.ts";
export { compressTensor } from "./codec/compress-tensor.ts";
export {
  decodeActivations,
  type DecodeActivationsOptions,
  type DecodedActivations,
} from "./codec/decode-activations.ts";
export { float16ToFloat32, float32ToFloat16 } from "./codec/float16.ts";
export {
  decodeTensor,
  encodeTensor,
  type EncodeTensorOptions,
  type Tensor,
  tensorValues,
} from "./codec/tensor-codec.ts";
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
export { readDirectionFile } from "./steering/store/direction-file.ts";
export { loadDirections } from "./steering/store/load-directions.ts";
export { saeDirection, type SaeDirectionOptions } from "./steering/store/sae-direction.ts";
export { saveDirection, type SaveDirectionOptions } from "./steering/store/save-direction.ts";
export type { SteeringReport } from "./steering/proof/verify-steering.ts";
export type { LayerProof, SteeredRow, StillRow } from "./steering/proof/layer-proof.ts";
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
export { openUnembedding } from "./self-test/open-unembedding.ts";
export {
  type FailedNeed,
  failedNeeds,
  type SelfTestNeed,
  selfTestNeeds,
} from "./self-test/self-test-needs.ts";
export type { Unembedding } from "./self-test/self-test-context.ts";
export type { ServerBehaviour } from "./self-test/server-behaviour.ts";
export type { ServerFingerprint } from "./self-test/server-fingerprint.ts";
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
export type { TokenStretch } from "./select/token-stretch.ts";
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
export type { Bounds } from "./plan/bounds.ts";
export type { CaptureRate } from "./plan/capture-rates.ts";
export type { CapturePlan, PlannedCapture, PlanRequest } from "./plan/plan-types.ts";
export { selectedRows } from "./plan/selected-bounds.ts";
export type { LayerVector, ModelSize } from "./formats/check-directions.ts";
export { encodeNpy, type NpyOptions, parseNpy, readNpy, writeNpy } from "./formats/npy/npy.ts";
export { type NpyFile, openNpy, writeNpyRows } from "./formats/npy/npy-rows.ts";
export { encodeNpz, type NpzFile, parseNpz, readNpz, writeNpz } from "./formats/npy/npz.ts";
export type { PickleValue } from "./formats/pickle/pickle-value.ts";
export { openZip, type ZipArchive } from "./formats/zip/zip-archive.ts";
export { hasDuplicateKeys } from "./formats/safetensors/duplicate-keys.ts";
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
export type { ImportedRows } from "./formats/imported-rows.ts";
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
export { type AblateOptions, type Ablation, ablateModel } from "./formats/ablation/ablate-model.ts";
export {
  type DirectionFormat,
  directionFormats,
  exportDirections,
  type ExportOptions,
} from "./formats/directions/export-directions.ts";
export { importDirections, type ImportOptions } from "./formats/directions/import-directions.ts";
