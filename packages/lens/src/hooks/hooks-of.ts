import type { LensProfile } from "../profiles/lens-profile.ts";
import { HookError } from "./hook-error.ts";

/** Where the profile's servers take hooks. Throws `hooks_unavailable`. */
export function hooksOf({ name, hooks }: LensProfile): NonNullable<LensProfile["hooks"]> {
  if (hooks !== undefined) return hooks;
  throw new HookError(
    "hooks_unavailable",
    `servers of the profile ${name} have no hooks; vllm ones with vllm-lens 1.2 and later do`,
  );
}
