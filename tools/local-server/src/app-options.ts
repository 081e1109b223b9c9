import type { Client, Clients } from "./clients.ts";
import type { Jobs } from "./acs/jobs.ts";
import type { ActiveQuirks } from "./quirks/active-quirks.ts";
import type { ChooseQuirks } from "./quirks/choose-quirks.ts";
import type { ServedModel } from "@residua/engine/api";

export interface AppOptions {
  readonly served: readonly ServedModel[];
  readonly clients: Clients;
  readonly jobs: Jobs;
  /** Milliseconds of silence after which a stream sends a comment. */
  readonly keepAliveInterval: number;
  readonly chooseQuirks: ChooseQuirks;
  /** Called with one line for each problem that is the server's own. */
  readonly log: (line: string) => void;
}

export interface AppEnv {
  /** `client`: on the routes that may need a key. */
  Variables: { requestId: string; client: Client; quirks: ActiveQuirks };
}
