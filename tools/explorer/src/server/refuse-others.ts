import { timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

/** Why a request is refused. */
export interface Refusal {
  readonly status: 403 | 404;
  readonly message: string;
}

/**
 * Only pages of the explorer itself may ask it. A name that was made to point at this machine (DNS rebinding) shows in `Host`;
 * another site's page shows in `Origin` and `Sec-Fetch-Site`; another user of this machine does not know the secret, which is
 * the first part of each path. Null: the request may pass.
 */
export function refuseOthers(
  { method, headers, path }: { method: string; headers: IncomingHttpHeaders; path: string },
  { port, secret }: { port: number; secret: string },
): Refusal | null {
  const { host, origin } = headers;
  const own = [`127.0.0.1:${port}`, `localhost:${port}`];
  if (host === undefined || !own.includes(host)) {
    return {
      status: 403,
      message: `The explorer answers at http://${own[0]} alone: open the address that residua explore printed.`,
    };
  }
  if (origin !== undefined && origin !== `http://${host}`)
    return { status: 403, message: "Pages of other sites may not ask the explorer." };
  const site = headers["sec-fetch-site"];
  // A link to the printed address (in a notebook's terminal, say) may be followed; what it shows asks for nothing.
  const followed =
    method === "GET" && headers["sec-fetch-mode"] === "navigate" && headers["sec-fetch-dest"] === "document";
  if (site !== undefined && site !== "same-origin" && site !== "none" && !followed)
    return { status: 403, message: "Pages of other sites may not ask the explorer." };
  if (!isSecret(path.split("/")[1] ?? "", secret))
    return {
      status: 404,
      message: "There is nothing here: open the whole address that residua explore printed.",
    };
  return null;
}

function isSecret(given: string, secret: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(secret)];
  return a.length === b.length && timingSafeEqual(a, b);
}
