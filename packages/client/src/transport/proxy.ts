import { ResiduaError } from "../residua-error.ts";

/** Where requests to an origin are sent instead. */
export interface Proxy {
  /** Scheme, host and port. */
  origin: string;
  /** The value of `Proxy-Authorization`. */
  authorization: string | undefined;
  /** What must not be shown. */
  secrets: readonly string[];
}

/**
 * The proxy for an origin: the option's, else the environment's `https_proxy` or `http_proxy` (or in capitals) unless
 * `no_proxy` names the host. As in Go, the environment's proxy is never used for this machine itself.
 * Throws `invalid_option` without showing the address, which may hold a password.
 */
export function proxyFor(
  origin: string,
  option: string | false | undefined,
  environment: (name: string) => string | undefined,
): Proxy | undefined {
  if (option === false) return undefined;
  if (option !== undefined) return readProxy(option, "proxy");
  const { protocol, hostname, port } = new URL(origin);
  const read = (name: string) => environment(name) || environment(name.toUpperCase()) || undefined;
  const name = protocol === "https:" ? "https_proxy" : "http_proxy";
  const given = read(name);
  if (given === undefined || isLoopback(hostname)) return undefined;
  const at = { host: hostname.toLowerCase(), port: port || (protocol === "https:" ? "443" : "80") };
  return isExcepted(at, read("no_proxy") ?? "") ? undefined : readProxy(given, name);
}

function readProxy(given: string, name: string): Proxy {
  const address = given.includes("://") ? given : `http://${given}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const user = decoded(url?.username);
  const password = decoded(url?.password);
  if (url === undefined || !/^https?:$/.test(url.protocol) || user === undefined || password === undefined) {
    throw new ResiduaError(
      "invalid_option",
      `${name} is not the http or https address of a proxy, such as http://proxy.local:3128 (a % in its user or password is %25)`,
    );
  }
  const basic = btoa(String.fromCharCode(...new TextEncoder().encode(`${user}:${password}`)));
  return {
    origin: url.origin,
    authorization: user === "" && password === "" ? undefined : `Basic ${basic}`,
    secrets: [password, url.password, password === "" ? "" : basic].filter((secret) => secret !== ""),
  };
}

/** Undefined for what is no percent encoding. */
function decoded(part: string | undefined): string | undefined {
  try {
    return decodeURIComponent(part ?? "");
  } catch {
    return undefined;
  }
}

/** `host`, `.host` and `*.host` each mean the host and all below it; `host:port` only that port; `*` everything. */
function isExcepted({ host, port }: { host: string; port: string }, exceptions: string): boolean {
  return exceptions
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      const [, name = "", only] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
      const bare = name.replace(/^\*?\./, "");
      if (bare === "*") return true;
      return bare !== "" && (only ?? port) === port && (host === bare || host.endsWith(`.${bare}`));
    });
}

function isLoopback(host: string): boolean {
  return (
    host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || /^127(\.\d+){3}$/.test(host)
  );
}
