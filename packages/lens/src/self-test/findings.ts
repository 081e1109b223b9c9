import type { Finding, Measured } from "./self-test-check.ts";
import type { ServerBehaviour } from "./server-behaviour.ts";

/** Pass or fail. */
export function judge(
  right: boolean,
  detail: string,
  measured: Measured = {},
  behaviour: ServerBehaviour = {},
): Finding {
  return { status: right ? "pass" : "fail", detail, measured, behaviour };
}

export const notApplicable = (detail: string): Finding => ({ status: "not applicable", detail });

/** It could be tested, but not without something that was not given or told. */
export const notTried = (detail: string): Finding => ({ ...notApplicable(detail), untried: true });

export const inconclusive = (detail: string, measured: Measured = {}): Finding => ({
  status: "inconclusive",
  detail,
  measured,
});
