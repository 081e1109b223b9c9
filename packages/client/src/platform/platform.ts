import type { JournalFiles } from "../journal/journal-files.ts";
import type { Transport } from "../transport/transport.ts";

/** What a client takes from where it runs. `#platform` is the module of Node and Deno, or that of a browser. */
export interface Platform {
  /** A variable of the environment; a browser has none. */
  environment(name: string): string | undefined;
  /** How requests are sent when the caller gives no `fetch`. */
  defaultTransport(origin: string): Transport;
  /** Files for journals, where there are any. */
  journals?: JournalFiles;
  /** Tells the user something that is no error, when the caller takes no warnings. */
  warn(warning: { code: string; message: string }): void;
}
