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

export const inconclusive = (detail: string, measured: Measured = {}): Finding => ({
  status: "inconclusive",
  detail,
  measured,
});
