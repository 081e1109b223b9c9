import { platform } from "#platform";
import type { ClientOptions, RequestOptions, RetryChoice } from "./client-types.ts";
import type { ProfileName } from "./profiles.ts";
import { checkOptions, clientOptionRules, requestOptionRules } from "./option-rules.ts";
import type { Backoff } from "./transport/retry-policy.ts";
import { ResiduaError } from "./residua-error.ts";
import { withoutUndefined } from "./without-undefined.ts";
import type { TimeLimits } from "./transport/try-clock.ts";

/** How long and how often a request is tried. Times in milliseconds. */
export interface Patience {
  maxRetries: number;
  retry: RetryChoice;
  maxRetryTime: number;
  timeout: TimeLimits;
  backoff: Backoff;
  longestRetryAfter: number;
  maxResponseBytes: number;
}

/** A server may need 15 minutes for a cold boot; no more than a stream of many tokens takes an hour. */
const defaultLimits: TimeLimits = { connect: 30_000, headers: 900_000, body: 900_000, total: 3_600_000 };

/** The client's settings over the defaults. Throws `invalid_option`. */
export function readPatience(options: ClientOptions<ProfileName>): Patience {
  checkOptions(options, clientOptionRules);
  return {
    maxRetries: options.maxRetries ?? 2,
    retry: options.retry ?? "repeatable",
    maxRetryTime: options.maxRetryTime ?? 900_000,
    timeout: readLimits(defaultLimits, options.timeout),
    backoff: { first: options.backoff?.first ?? 500, longest: options.backoff?.longest ?? 8000 },
    longestRetryAfter: options.longestRetryAfter ?? 60_000,
    maxResponseBytes: options.maxResponseBytes ?? 2 ** 30,
  };
}

/** The request's own settings over the client's. Throws `invalid_option`. */
export function overridePatience(patience: Patience, request: RequestOptions): Patience {
  checkOptions(request, requestOptionRules);
  return {
    ...patience,
    maxRetries: request.maxRetries ?? patience.maxRetries,
    retry: request.retry ?? patience.retry,
    maxRetryTime: request.maxRetryTime ?? patience.maxRetryTime,
    timeout: readLimits(patience.timeout, request.timeout),
    maxResponseBytes: request.maxResponseBytes ?? patience.maxResponseBytes,
  };
}

/** A number is the total; parts that are left out stay as they were. */
function readLimits(before: TimeLimits, given: ClientOptions["timeout"]): TimeLimits {
  if (given === undefined) return before;
  if (typeof given === "number") return { ...before, total: given };
  return {
    connect: given.connect ?? before.connect,
    headers: given.headers ?? before.headers,
    body: given.body ?? before.body,
    total: given.total ?? before.total,
  };
}

/** Where a server in this process seems to be; no request goes there. */
const inProcess = { href: "http://in-process/v1", origin: "http://in-process" };

/** The server's address. Throws `missing_option` or `invalid_option`. */
export function readBase({ baseURL, server }: ClientOptions<ProfileName>): { href: string; origin: string } {
  if (server === undefined) return readBaseURL(baseURL ?? platform.environment("ACS_API_BASE"));
  if (baseURL === undefined) return inProcess;
  throw new ResiduaError(
    "invalid_option",
    "baseURL is given beside server, which is in this process: leave out one of the two",
  );
}

/** The address without a slash at its end. Throws `missing_option` or `invalid_option`. */
function readBaseURL(given: string | undefined): { href: string; origin: string } {
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
    ...Object.fromEntries(
      Object.entries(withoutUndefined(headers)).map(([name, value]) => [name.toLowerCase(), value]),
    ),
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
