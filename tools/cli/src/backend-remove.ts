import { removeNative } from "@residua/analysis/native-backend";
import type { CommandContext } from "./make-command.ts";

/** Options of `residua backend remove`. */
export interface BackendRemoveOptions {
  variant?: "cpu" | "cuda";
}

/** `residua backend remove`: takes the native backends, and what unfinished installations left, out of the cache folder. */
export async function backendRemove(
  { variant }: BackendRemoveOptions,
  { output }: CommandContext,
): Promise<void> {
  const removed = await removeNative(variant === undefined ? {} : { variants: [variant] });
  output.result({ removed }, removed.length === 0 ? "nothing to remove" : `removed ${removed.join(", ")}`);
}
