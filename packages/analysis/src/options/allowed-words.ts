import type { z } from "zod";

/** A rule that a value broke, as zod tells it. */
type Issue = z.core.$ZodRawIssue;

const kinds: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a finite number",
  int: "a whole number",
  boolean: "true or false",
  null: "null",
  undefined: "nothing",
  array: "a list",
  object: "an object",
  record: "an object",
};

/**
 * What would have been allowed, in words that follow "allowed:". Given to `safeParse` as `error`, it stands in for zod's own messages, of
 * which that of a union tells nothing; a message that the schema has itself goes before it.
 */
export function allowedWords(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return kinds[issue.expected] ?? `a value of type ${issue.expected}`;
    case "invalid_value":
      return issue.values.map((value) => JSON.stringify(value) ?? String(value)).join(", ");
    case "too_small":
      return limited(issue.origin, issue.inclusive === false ? "above" : "of at least", issue.minimum);
    case "too_big":
      return limited(issue.origin, issue.inclusive === false ? "below" : "of at most", issue.maximum);
    case "unrecognized_keys":
      return `only ${knownKeys(issue).join(", ")}`;
    case "invalid_union":
      return anyOf(issue.errors.flatMap(([first]) => (first === undefined ? [] : [first])));
    case "invalid_key":
    case "invalid_element":
      return anyOf(issue.issues);
    case "custom":
    case "invalid_format":
    case "not_multiple_of":
      return issue.message ?? "a value of another form";
  }
}

function knownKeys({ inst }: Extract<Issue, { code: "unrecognized_keys" }>): string[] {
  return Object.keys((inst as z.core.$ZodObject | undefined)?._zod.def.shape ?? {});
}

function limited(origin: string, how: string, limit: number | bigint): string {
  if (origin === "string")
    return limit === 1 ? "a text that is not empty" : `a text ${how} ${limit} characters`;
  if (origin === "array" && how === "of at least" && limit === 1) return "a list that is not empty";
  if (origin === "array" || origin === "set") return `a list ${how} ${limit} entries`;
  return `a number ${how} ${limit}`;
}

/** One branch's fault each; of the same words only one. */
function anyOf(issues: readonly { path: PropertyKey[]; message: string }[]): string {
  const words = issues.map(({ path, message }) =>
    path.length === 0 ? message : `${path.map(String).join(".")}: ${message}`,
  );
  return [...new Set(words)].join(", or ") || "one of the known kinds";
}
