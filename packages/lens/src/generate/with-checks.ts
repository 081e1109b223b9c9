import type { Completion } from "@residua/client";
import { copyCompletion } from "../copy-completion.ts";
import type { CaptureCheck, SteeredCompletion } from "../lens-types.ts";

/** The completion with its checks, which do not show in its JSON: that stays what the server sent. */
export function withChecks(completion: Completion, checks: readonly CaptureCheck[]): SteeredCompletion {
  return Object.defineProperty(copyCompletion(completion, completion), "checks", {
    value: Object.freeze([...checks]),
    enumerable: false,
  }) as SteeredCompletion;
}
