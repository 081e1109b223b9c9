import { InvalidRequestError, type RequestIssue } from "@residua/lens";
import type { z } from "zod";
import { allowedWords } from "./allowed-words.ts";
import { shown } from "./shown.ts";

/** The options as their schema reads them; `at` is the option whose value they are. Throws InvalidRequestError that names each fault, what was given and what is allowed. */
export function checkOptions<S extends z.ZodType>(
  schema: S,
  options: unknown,
  what: string,
  at?: string,
): z.infer<S> {
  const parsed = schema.safeParse(options, { error: allowedWords });
  if (parsed.success) return parsed.data;
  throw new InvalidRequestError(
    parsed.error.issues.map((issue) => optionIssue(issue, options, at)),
    what,
  );
}

/** One fault of a value, by its place. `at` puts what the value is called before it. */
export function optionIssue(issue: z.core.$ZodIssue, given: unknown, at = ""): RequestIssue {
  const { path, message } = issue;
  const value = path.reduce<unknown>(
    (whole, key) => (Object(whole) as Record<PropertyKey, unknown>)[key],
    given,
  );
  const places = path.map((key, i) =>
    typeof key === "number" ? `[${key}]` : `${i > 0 || at ? "." : ""}${String(key)}`,
  );
  const field = `${at}${places.join("")}`;
  return { field: field || "options", given: givenOf(issue, value), allowed: message };
}

/** The value of an unknown field is not shown: it may be a secret. */
function givenOf(issue: z.core.$ZodIssue, value: unknown): string {
  if (issue.code === "unrecognized_keys") return `the field ${issue.keys.join(", ")}`;
  return value === undefined ? "nothing" : shown(value);
}
