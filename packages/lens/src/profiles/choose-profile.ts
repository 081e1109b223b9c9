import type { ProfileName } from "@residua/client";
import { acsProfile } from "./acs-profile.ts";
import { LensOptionError } from "./lens-option-error.ts";
import { type LensProfile, readLensProfile } from "./lens-profile.ts";
import { vllmLensProfiles, vllmProfile } from "./vllm-profile.ts";

/** `vllm` is vllm-lens 1.2 or 1.3; the others name one release. */
export type LensProfileName = "acs" | "vllm" | keyof typeof vllmLensProfiles;

/** The profiles that come with lens, by name. */
export const lensProfiles: Readonly<Record<LensProfileName, LensProfile>> = {
  acs: acsProfile,
  vllm: vllmProfile,
  ...vllmLensProfiles,
};

/** The profile that is given, else the client's. Throws `invalid_option`. */
export function chooseProfile(
  given: LensProfileName | LensProfile | undefined,
  client: ProfileName,
): LensProfile {
  if (typeof given === "object") return readLensProfile(given);
  const name = given ?? client;
  if (Object.hasOwn(lensProfiles, name)) return lensProfiles[name as LensProfileName];
  throw new LensOptionError(
    `profile ${JSON.stringify(name)} neither captures nor steers; allowed: ${Object.keys(lensProfiles).join(", ")}, or a profile as data`,
  );
}
