/**
 * Base of every error that Residua raises on purpose. `code` is stable and meant for programs; `message` says what was
 * asked, what is allowed and what to do; `data` holds the numbers behind the message.
 */
export class ResiduaError extends Error {
  readonly code: string;
  readonly data: Readonly<Record<string, unknown>>;

  constructor(code: string, message: string, data: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.name = new.target.name;
    this.code = code;
    this.data = data;
  }
}
