import type { ClientOptions, RequestOptions } from "./client-types.ts";
import type { WaitOptions } from "./jobs/wait-for-job.ts";
import type { SampleManyOptions } from "./many/sample-many-types.ts";
import { isObject } from "./json-values.ts";
import { nearestName } from "./requests/nearest-name.ts";
import { ResiduaError } from "./residua-error.ts";

/** What an option may be. Its value is never shown unless it is a number. */
interface OptionRule {
  allowed: string;
  accepts: (value: unknown) => boolean;
}

const text: OptionRule = { allowed: "a text", accepts: (value) => typeof value === "string" };
const route: OptionRule = {
  allowed: "a path from /",
  accepts: (value) => typeof value === "string" && value.startsWith("/"),
};
const texts: OptionRule = { allowed: "a plain object of texts", accepts: isPlain };
const callable: OptionRule = { allowed: "a function", accepts: (value) => typeof value === "function" };
const count = (least: number): OptionRule => ({
  allowed: `an integer from ${least}`,
  accepts: (value) => Number.isInteger(value) && (value as number) >= least,
});
const milliseconds = (least: number): OptionRule => ({
  allowed: `a number from ${least}`,
  accepts: (value) => typeof value === "number" && value >= least,
});
const flag: OptionRule = { allowed: "true or false", accepts: (value) => typeof value === "boolean" };
const oneOf = (...names: string[]): OptionRule => ({
  allowed: `one of ${names.join(", ")}`,
  accepts: (value) => names.includes(value as string),
});

const timeoutRules: Readonly<Record<string, OptionRule>> = {
  connect: milliseconds(1),
  headers: milliseconds(1),
  body: milliseconds(1),
  total: milliseconds(1),
};

const backoffRules: Readonly<Record<string, OptionRule>> = {
  first: milliseconds(0),
  longest: milliseconds(0),
};

const listsOf = (...names: string[]): OptionRule => ({
  allowed: `an object of lists of texts: ${names.join(", ")}`,
  accepts: (value) =>
    isObject(value) &&
    Object.entries(value as object).every(
      ([name, list]) => names.includes(name) && (list === undefined || isTexts(list)),
    ),
});

/** Rules for what lies inside an option. */
const inside: Readonly<Record<string, Readonly<Record<string, OptionRule>>>> = {
  timeout: timeoutRules,
  backoff: backoffRules,
  paths: { completions: route, models: route, jobs: route },
  jobs: {
    path: text,
    retrieve: text,
    result: {
      allowed: "{ path } or { field }, a text",
      accepts: (value) => hasText(value, "path") || hasText(value, "field"),
    },
    cancel: {
      allowed: "{ method: DELETE or POST, path }",
      accepts: (value) =>
        hasText(value, "path") && ["DELETE", "POST"].includes((value as { method: string }).method),
    },
    fields: listsOf("id", "status", "created", "started", "completed", "error"),
    list: text,
    words: listsOf("pending", "running", "done", "failed", "cancelled"),
  },
  interval: { first: milliseconds(1), longest: milliseconds(1) },
  journal: {
    path: { allowed: "the path of a file", accepts: (value) => typeof value === "string" && value !== "" },
    changed: oneOf("refuse", "reuse"),
  },
};

const shared = {
  timeout: {
    allowed: "a number from 1, or an object with connect, headers, body or total",
    accepts: (value: unknown) => milliseconds(1).accepts(value) || isObject(value),
  },
  maxRetries: count(0),
  retry: oneOf("never", "repeatable", "always"),
  maxRetryTime: milliseconds(0),
  maxResponseBytes: count(1),
  headers: texts,
  longestEvent: count(1),
  tokenizer: {
    allowed: "an object with encode",
    accepts: (value: unknown) => typeof (value as { encode?: unknown } | null)?.encode === "function",
  },
};

/** Every option of createClient. */
export const clientOptionRules: Readonly<Record<keyof ClientOptions, OptionRule>> = {
  ...shared,
  baseURL: text,
  apiKey: text,
  profile: oneOf("acs", "vllm", "octoai"),
  paths: { allowed: "an object with completions, models or jobs", accepts: isObject },
  extraFields: {
    allowed: "a list of names of fields",
    accepts: (value) =>
      Array.isArray(value) && value.every((name) => typeof name === "string" && name !== ""),
  },
  jobs: { allowed: "an object of how the server speaks of jobs", accepts: isObject },
  models: { allowed: "an object from model id to what you know of it", accepts: isObject },
  catalogueTTL: milliseconds(0),
  onWarning: callable,
  backoff: { allowed: "an object with first or longest", accepts: isObject },
  longestRetryAfter: milliseconds(0),
  connections: count(1),
  proxy: {
    allowed: "the address of a proxy, or false",
    accepts: (value) => typeof value === "string" || value === false,
  },
  fetch: callable,
  server: {
    allowed: "an object with answer",
    accepts: (value) => typeof (value as { answer?: unknown } | null)?.answer === "function",
  },
};

/** Every option of one request. */
export const requestOptionRules: Readonly<Record<keyof RequestOptions, OptionRule>> = {
  ...shared,
  signal: { allowed: "an AbortSignal", accepts: (value) => value instanceof AbortSignal },
};

/** Options of a whole run and of each of its requests. */
export const sampleOptionRules: Readonly<Record<keyof SampleManyOptions, OptionRule>> = {
  ...requestOptionRules,
  concurrency: count(1),
  ratePerMinute: count(1),
  ordered: flag,
  window: count(1),
  onProgress: callable,
  total: count(0),
  journal: {
    allowed: "the path of a file, or an object with path and changed",
    accepts: (value) => (typeof value === "string" && value !== "") || isObject(value),
  },
  seed: count(0),
  pack: {
    allowed: "true, false, or an integer from 1",
    accepts: (value) => typeof value === "boolean" || count(1).accepts(value),
  },
  longestWait: milliseconds(0),
};

/** Options of waiting for a job, and of each look at it. */
export const waitOptionRules: Readonly<Record<keyof WaitOptions, OptionRule>> = {
  ...requestOptionRules,
  interval: { allowed: "an object with first or longest", accepts: isObject },
  timeout: milliseconds(1),
  longestOutage: milliseconds(0),
  onProgress: callable,
  cancelOnAbort: flag,
};

/**
 * Refuses options that are not known, by name and with the nearest known one, and values that cannot be. `undefined` counts
 * as not given. Throws `invalid_option`.
 */
export function checkOptions(
  options: object,
  rules: Readonly<Record<string, OptionRule>>,
  within = "",
): void {
  if (!isObject(options)) throw new ResiduaError("invalid_option", "options must be an object");
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(rules, name)) throw unknownOption(name, Object.keys(rules), within);
    const rule = rules[name];
    if (value === undefined || rule === undefined) continue;
    if (!rule.accepts(value)) {
      const given = typeof value === "number" ? String(value) : `a value of type ${typeof value}`;
      throw new ResiduaError("invalid_option", `${within}${name}: ${given} given; allowed: ${rule.allowed}`);
    }
    const nested = Object.hasOwn(inside, name) && isObject(value) ? inside[name] : undefined;
    if (nested && within === "") checkOptions(value as object, nested, `${name}.`);
  }
}

/** Those of the options that each request takes. */
export function requestOptionsOf(options: RequestOptions): RequestOptions {
  return Object.fromEntries(
    Object.entries(options).filter(
      ([name, value]) => Object.hasOwn(requestOptionRules, name) && value !== undefined,
    ),
  );
}

function unknownOption(name: string, names: readonly string[], within: string): ResiduaError {
  const near = nearestName(name, names);
  const hint = near === undefined ? "" : ` (did you mean ${within}${near}?)`;
  return new ResiduaError(
    "invalid_option",
    `${within}${name.slice(0, 64)} is not an option${hint}; known: ${names.join(", ")}`,
  );
}

/** A Headers or a Map has its texts elsewhere than in its properties. */
function isPlain(value: unknown): boolean {
  return isObject(value) && [Object.prototype, null].includes(Object.getPrototypeOf(value) as object | null);
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

function hasText(value: unknown, name: string): boolean {
  return isObject(value) && typeof value[name] === "string";
}
