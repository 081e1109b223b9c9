import { ResiduaError } from "@residua/client";

/** A file that is not what it says it is, or that cannot be read or written without loss. `data.file` names it where known. */
export class FormatError extends ResiduaError {
  declare readonly code:
    | "format_invalid"
    | "format_truncated"
    | "format_too_large"
    | "format_unsupported"
    | "format_refused"
    | "format_missing"
    | "format_value"
    | "layer_convention";

  constructor(
    code: FormatError["code"],
    message: string,
    data: Readonly<Record<string, unknown>> = {},
    options?: ErrorOptions,
  ) {
    super(code, message, data);
    if (options !== undefined) this.cause = options.cause;
  }
}
