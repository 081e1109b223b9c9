import { isObject } from "../json-values.ts";

/** Where an answer is not what it should be. */
export interface Fault {
  /** Of the value, from the root: `.choices[3].logprobs.tokens`. */
  path: string;
  expected: string;
  came: unknown;
}

/** Looks at a value as it is and copies nothing, so that an answer of many numbers costs little beside JSON.parse. */
export type Check = (value: unknown) => Fault | undefined;

/** A check by a test. */
export function is(expected: string, test: (value: unknown) => boolean): Check {
  return (value) => (test(value) ? undefined : { path: "", expected, came: value });
}

export const text = is("a text", (value) => typeof value === "string");
export const number = is("a number", (value) => typeof value === "number");
export const count = is("a whole number from 0", (value) => Number.isInteger(value) && Number(value) >= 0);

/** Missing and null are fine as well. */
export function maybe(check: Check): Check {
  return (value) => (value === undefined || value === null ? undefined : check(value));
}

export function listOf(check: Check, expected: string): Check {
  return (value) => {
    if (!Array.isArray(value)) return { path: "", expected, came: value };
    for (let i = 0; i < value.length; i++) {
      const fault = check(value[i]);
      if (fault !== undefined) return { ...fault, path: `[${i}]${fault.path}` };
    }
    return undefined;
  };
}

/** An object of any keys whose values pass the check. */
export function recordOf(check: Check, expected: string): Check {
  return (value) => {
    if (!isObject(value)) return { path: "", expected, came: value };
    // Values alone are walked much faster than entries, and there may be a vocabulary of them.
    if (Object.values(value).every((item) => check(item) === undefined)) return undefined;
    for (const [key, item] of Object.entries(value)) {
      const fault = check(item);
      if (fault !== undefined) return { ...fault, path: `[${JSON.stringify(key)}]${fault.path}` };
    }
    return undefined;
  };
}

/** An object with at least these fields; others are let through unseen. */
export function objectOf(fields: Readonly<Record<string, Check>>, expected: string): Check {
  const checks = Object.entries(fields);
  return (value) => {
    if (!isObject(value)) return { path: "", expected, came: value };
    for (const [key, check] of checks) {
      const fault = check(value[key]);
      if (fault !== undefined) return { ...fault, path: `.${key}${fault.path}` };
    }
    return undefined;
  };
}

/** `choices[3].logprobs.tokens: a list of texts expected, a number came`. Never quotes a text. */
export function faultText({ path, expected, came }: Fault): string {
  const place = path.replace(/^\./, "");
  return `${place === "" ? "" : `${place}: `}${expected} expected, ${kindOf(came)} came`;
}

function kindOf(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "number") return Number.isInteger(value) ? `the number ${value}` : "a fraction";
  if (typeof value === "string") return "a text";
  return typeof value === "boolean" ? "true or false" : "an object";
}
