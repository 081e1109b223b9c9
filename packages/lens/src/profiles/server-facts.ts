import type { Completion, ModelDescription } from "@residua/client";
import type { ServerBehaviour } from "../self-test/server-behaviour.ts";
import type { LensProfile } from "./lens-profile.ts";

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
  /**
   * What norm_match takes the norm of, as a self-test measured it or else as the profile says: the whole stream, the half
   * that the block adds, or something else.
   */
  normMatch: "stream" | "delta" | "other" | undefined;
}

export function serverFacts(
  { name, version, steering }: LensProfile,
  { checkpoint }: ModelDescription,
  { system_fingerprint: fingerprint }: Completion,
  { normMatch: measured }: Pick<ServerBehaviour, "normMatch">,
): ServerFacts {
  const { norm } = steering;
  return Object.freeze({
    profile: name,
    version,
    fingerprint: fingerprint ?? undefined,
    checkpoint: checkpoint.value,
    normMatch: measured === "other" && norm === "delta" ? norm : (measured ?? norm),
  });
}
