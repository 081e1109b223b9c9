import { platform } from "#platform";
import type { ClientOptions } from "../client-types.ts";
import type { ProfileName } from "../profiles.ts";
import { fetchTransport } from "./fetch-transport.ts";
import { inProcessTransport } from "./in-process-transport.ts";
import type { Transport } from "./transport.ts";

/** How a client's requests travel, and what of that is secret. */
export function chooseTransport(
  { server, fetch, connections, proxy }: ClientOptions<ProfileName>,
  origin: string,
  connectTimeout: number,
): { transport: Transport; secrets: readonly string[] } {
  if (server) return { transport: inProcessTransport(server), secrets: [] };
  if (fetch) return { transport: fetchTransport(fetch), secrets: [] };
  return platform.defaultTransport({ origin, connections, connectTimeout, proxy });
}
