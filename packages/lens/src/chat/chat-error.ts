import { ResiduaError } from "@residua/client";

/** A conversation whose tokens cannot be told apart exactly. */
export class ChatError extends ResiduaError {
  declare readonly code:
    "template_refused" | "template_rewrites" | "turn_not_found" | "tokens_unspelt" | "template_bos_doubled";

  constructor(
    code: ChatError["code"],
    message: string,
    data: Readonly<Record<string, unknown>> = {},
    options?: ErrorOptions,
  ) {
    super(code, message, data);
    if (options !== undefined) this.cause = options.cause;
  }
}
