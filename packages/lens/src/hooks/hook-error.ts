import { ResiduaError } from "@residua/client";

/** What goes wrong with hooks, beside what the client throws. `cause` is the server's error where there is one. */
export class HookError extends ResiduaError {
  declare readonly code: "hooks_unavailable" | "hook_failed" | "hook_result_form";

  constructor(code: HookError["code"], message: string, cause?: unknown) {
    super(code, message);
    if (cause !== undefined) this.cause = cause;
  }
}
