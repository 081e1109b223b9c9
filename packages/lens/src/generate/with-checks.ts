import type { Completion } from "@residua/client";
import type { CaptureCheck, SteeredCompletion } from "../lens-types.ts";

/** The completion with its checks, which do not show in its JSON: that stays what the server sent. */
export function withChecks(completion: Completion, checks: readonly CaptureCheck[]): SteeredCompletion {
  const copy: Completion = { ...completion };
  return Object.defineProperties(copy, {
    choicesOf: { value: completion.choicesOf, enumerable: false },
    checks: { value: Object.freeze([...checks]), enumerable: false },
  }) as SteeredCompletion;
}
