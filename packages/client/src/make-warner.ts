import type { ClientWarning } from "./client-warning.ts";
import type { Redactor } from "./transport/redactor.ts";

/**
 * Hands on warnings, secrets replaced: a server may send the key back as its name. What takes them and throws does not
 * cost the answer that gave the warning; `tell` says so.
 */
export function makeWarner({
  onWarning,
  redact,
  tell,
}: {
  onWarning: ((warning: ClientWarning) => void) | undefined;
  redact: Redactor;
  tell: (warning: { code: string; message: string }) => void;
}): (warning: ClientWarning) => void {
  return (warning) => {
    const clean = {
      ...warning,
      message: redact(warning.message),
      before: redact(warning.before),
      after: redact(warning.after),
    };
    if (onWarning === undefined) return tell(clean);
    try {
      onWarning(clean);
    } catch (error) {
      const reason = redact(error instanceof Error ? error.message : String(error));
      tell({ code: "on_warning_failed", message: `onWarning threw (${reason}) at: ${clean.message}` });
    }
  };
}
