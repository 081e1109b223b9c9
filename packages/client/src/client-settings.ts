import { platform } from "#platform";
import type { ClientOptions, RequestOptions } from "./client-types.ts";
import type { Backoff } from "./transport/retry-policy.ts";
import { ResiduaError } from "./residua-error.ts";

/** How long and how often a request is tried. Times in milliseconds. */
export interface Patience {
  maxRetries: number;
  timeout: number;
  backoff: Backoff;
  longestRetryAfter: number;
}

/** The request's own settings over the client's over the defaults. Throws `invalid_option`. */
export function readPatience(options: ClientOptions, request: RequestOptions = {}): Patience {
  const maxRetries = request.maxRetries ?? options.maxRetries ?? 2;
  const timeout = request.timeout ?? options.timeout ?? 900_000;
  const backoff = { first: options.backoff?.first ?? 500, longest: options.backoff?.longest ?? 8000 };
  const longestRetryAfter = options.longestRetryAfter ?? 60_000;
  for (const [name, value] of Object.entries({ maxRetries, timeout, ...backoff, longestRetryAfter })) {
    if (typeof value === "number" && value >= (name === "timeout" ? 1 : 0)) continue;
    throw new ResiduaError(
      "invalid_option",
      `${name}: ${String(value)} given; allowed: a number from 0 (timeout: from 1)`,
    );
  }
  return { maxRetries, timeout, backoff, longestRetryAfter };
}

/** The address without a slash at its end. Throws `missing_option` or `invalid_option`. */
export function readBaseURL(given: string | undefined): { href: string; origin: string } {
  const advice =
    "set baseURL or ACS_API_BASE to the server's address, which ends in /v1, such as http://127.0.0.1:8000/v1";
  if (given === undefined || given === "") throw new ResiduaError("missing_option", `no baseURL: ${advice}`);
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new ResiduaError("invalid_option", `baseURL is not an http or https address: ${advice}`);
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    throw new ResiduaError(
      "invalid_option",
      `baseURL must have no user, password, query or fragment: ${advice}, and the key to apiKey`,
    );
  }
  return { href: url.href.replace(/\/+$/, ""), origin: url.origin };
}

/** Header values with control characters would be quoted in the transport's own error, so they are refused here, unshown. */
export function readHeaders({
  apiKey,
  headers = {},
}: Pick<ClientOptions, "apiKey" | "headers">): Record<string, string> {
  const key = apiKey ?? platform.environment("ACS_API_KEY") ?? "";
  const all = Object.entries({
    "content-type": "application/json",
    ...(key !== "" && { authorization: `Bearer ${key}` }),
    ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
  });
  for (const [name, value] of all) {
    if (typeof value === "string" && /^[\x20-\x7e]*$/.test(value) && /^[\w!#$%&'*+.^`|~-]+$/.test(name))
      continue;
    const what = name === "authorization" ? "apiKey" : "a header";
    throw new ResiduaError("invalid_option", `${what} must be a text of printable ASCII characters`);
  }
  return Object.fromEntries(all);
}

export function secretsOf(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers)
    .filter(([name]) => /auth|key|token|cookie|secret/.test(name))
    .map(([, value]) => value.replace(/^bearer\s+/i, "").trim());
}
