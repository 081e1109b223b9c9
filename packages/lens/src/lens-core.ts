import type { Client, ProfileName } from "@residua/client";
import type { Behaviours } from "./self-test/server-behaviour.ts";
import type { CaptureRates } from "./plan/capture-rates.ts";
import type { LensProfile } from "./profiles/lens-profile.ts";
import type { TokenSource } from "./tokens/token-source.ts";
import type { RowMemory } from "./verify/row-memory.ts";

/** What everything that lens does stands on. */
export interface LensCore {
  readonly client: Client<ProfileName>;
  readonly profile: LensProfile;
  /** What self-tests found of this server, by model. */
  readonly behaviours: Behaviours;
  /** How long captures took, by model. */
  readonly rates: CaptureRates;
  /** What a tokenizer says, where answers do not. */
  readonly tokens: TokenSource;
  /** Whether each capture reads the server's count of preempted requests before and after. */
  readonly watchPreemptions: boolean;
  /** Rows of earlier captures. */
  readonly rows: RowMemory;
}
