import { createHash } from "node:crypto";
import { serverVersion } from "../server-version.ts";
import type { ServedModel } from "@residua/engine/api";

/** Equal for equal versions of this server that serve the same checkpoint name and model configuration. */
export function systemFingerprint({ checkpoint, model: { config } }: ServedModel): string {
  const what = JSON.stringify([serverVersion, checkpoint, config]);
  return `fp_${createHash("sha256").update(what).digest("hex").slice(0, 10)}`;
}
