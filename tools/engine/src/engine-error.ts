/** Base of every error the engine throws: a stable `code` and the facts behind the message as `data`. */
export class EngineError extends Error {
  readonly code: string;
  readonly data: Readonly<Record<string, unknown>>;

  constructor(code: string, message: string, data: Record<string, unknown> = {}, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
    this.data = Object.freeze({ ...data });
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
