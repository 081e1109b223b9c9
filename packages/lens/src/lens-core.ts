import type { Client, ProfileName } from "@residua/client";
import type { Behaviours } from "./self-test/server-behaviour.ts";
import type { CaptureRates } from "./plan/capture-rates.ts";
import type { LensProfile } from "./profiles/lens-profile.ts";

/** What everything that lens does stands on. */
export interface LensCore {
  readonly client: Client<ProfileName>;
  readonly profile: LensProfile;
  /** What self-tests found of this server, by model. */
  readonly behaviours: Behaviours;
  /** How long captures took, by model. */
  readonly rates: CaptureRates;
}
