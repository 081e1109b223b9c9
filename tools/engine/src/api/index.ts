export { ApiError, errorBody, invalidRequest } from "./api-error.ts";
export { completionChoices } from "./completion-choices.ts";
export { completionHead, completionUsage, echoedText, usageOf } from "./completion-parts.ts";
export {
  type CompletionRequest,
  completionRequestSchema,
  jobRequestSchema,
  parseCompletionRequest,
} from "./completion-request.ts";
export { checkReach, decodeSteering } from "./decode-steering.ts";
export { explainError } from "./explain-error.ts";
export { findModel } from "./find-model.ts";
export { leastTokens } from "./least-tokens.ts";
export { doubleBos, dropWrongWidth } from "./leniency.ts";
export { checkRules, type LimitRule } from "./limit-rule.ts";
export { modelList, modelStatus } from "./model-catalogue.ts";
export { prepareCompletion } from "./prepare-completion.ts";
export type { PreparedCompletion } from "./prepared-completion.ts";
export { queueLimits } from "./queue-limits.ts";
export { refuseLongLists } from "./refuse-long-lists.ts";
export { limitRules, type RequestFacts } from "./request-limits.ts";
export { samplingFields } from "./sampling-fields.ts";
export { type ServedModel, serveModel } from "./served-model.ts";
export { steeringSchema, type WireSteeringVector } from "./steering-schema.ts";
export { longestCharacter, type TokenName, tokenNames } from "./token-name.ts";
export { checkContext, promptList, tokenisePrompts } from "./tokenise-prompt.ts";
export { atLeast, completionLogprobs, contextAt, ownFirst, type ShownTokens } from "./wire-logprobs.ts";
export { compressCapture, encodeCapture, type TensorFrame } from "./wire-tensor.ts";
export { compressZstd, decompressZstd, initZstd, zstdContentSize } from "./zstd.ts";
