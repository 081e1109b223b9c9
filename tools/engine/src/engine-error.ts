import { ResiduaError } from "@residua/client";

/** Base of every error the engine throws: a stable `code` and the facts behind the message as `data`. */
export class EngineError extends ResiduaError {
  constructor(code: string, message: string, data: Record<string, unknown> = {}, options?: ErrorOptions) {
    super(code, message, Object.freeze({ ...data }));
    if (options !== undefined && "cause" in options) this.cause = options.cause;
  }
}

/**
 * A model folder that cannot be used. Codes: `folder_unreadable`, `config_invalid`, `unsupported_model`,
 * `weights_invalid`, `tokenizer_invalid`, `model_too_large`.
 */
export class ModelFolderError extends EngineError {}

/**
 * A request that the engine refuses, `data.field` names the part. Codes: `invalid_request`,
 * `context_length_exceeded`, `not_finite` (the steering drove the scores out of the float range).
 */
export class EngineRequestError extends EngineError {}
