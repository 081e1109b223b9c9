import type { JournalFiles } from "../journal/journal-files.ts";
import type { Transport } from "../transport/transport.ts";

/** What a client takes from where it runs. `#platform` is the module of Node and Deno, or that of a browser. */
export interface Platform {
  /** A variable of the environment; a browser has none. */
  environment(name: string): string | undefined;
  /** How requests are sent when the caller gives no `fetch`. */
  defaultTransport(settings: TransportSettings): { transport: Transport; secrets: readonly string[] };
  /** Files for journals, where there are any. */
  journals?: JournalFiles;
  /**
   * Whole groups of four characters of base64 → their bytes, where that is done faster than in a loop. False, with `into`
   * spoilt, where anything but the standard alphabet is among them.
   */
  decodeBase64?(characters: Uint8Array, into: Uint8Array): boolean;
  /** Tells the user something that is no error, when the caller takes no warnings. */
  warn(warning: { code: string; message: string }): void;
}

/** What a transport of connections needs to know; a browser keeps its own. */
export interface TransportSettings {
  origin: string;
  /** The most connections at once; as many as there are requests when undefined. */
  connections: number | undefined;
  /** Milliseconds until a connection must stand. */
  connectTimeout: number;
  /** A proxy's address, `false` for none, undefined for the environment's. */
  proxy: string | false | undefined;
}
