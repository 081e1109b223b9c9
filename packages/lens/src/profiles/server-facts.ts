import type { Completion, ModelDescription } from "@residua/client";
import type { LensCore } from "../lens-core.ts";

/**
 * What is known of the server that an answer came from, to be stored beside what was measured on it: a coefficient that
 * was found with norm_match is another one where the norm is taken of something else.
 */
export interface ServerFacts {
  profile: string;
  /** The version that the profile is of. */
  version: string | undefined;
  /** `system_fingerprint` of the answer: changes with the server's version and settings. */
  fingerprint: string | undefined;
  /** The weights' own name. */
  checkpoint: string | undefined;
  /** What norm_match takes the norm of: as a self-test found it, else as the profile says. */
  normMatch: "stream" | "delta" | "other" | undefined;
  /** The hash of the self-test's fingerprint, where this lens has tested the server. */
  selfTest: string | undefined;
}

export function serverFacts(
  { profile: { name, version, steering }, behaviours }: Pick<LensCore, "profile" | "behaviours">,
  { id, checkpoint }: ModelDescription,
  { system_fingerprint: fingerprint }: Completion,
): ServerFacts {
  return Object.freeze({
    profile: name,
    version,
    fingerprint: fingerprint ?? undefined,
    checkpoint: checkpoint.value,
    normMatch: behaviours.of(id).normMatch ?? steering.norm,
    selfTest: behaviours.fingerprint(id)?.hash,
  });
}
