import type { Run } from "./run/open-run.ts";
import type { ModelWork } from "./work/model-work.ts";

/** What every view is made of. */
export interface Explorer {
  /** Null where only a server was named. */
  readonly run: Run | null;
  readonly work: ModelWork;
  /** Of the server that answers, as the header shows it. */
  readonly serverName: string;
}
