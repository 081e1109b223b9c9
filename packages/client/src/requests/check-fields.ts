import type * as z from "zod";
import { InvalidRequestError, type RequestIssue } from "./invalid-request-error.ts";
import { nearestName } from "./nearest-name.ts";

/** How to check an object whose every key is known, and how to speak of what is wrong with it. */
export interface FieldCheck<T> {
  schema: z.ZodType<T>;
  /** What each field may be, by name. */
  fields: Readonly<Record<string, { allowed: string }>>;
  /** For keys that are refused: what to do instead. */
  hints?: Readonly<Record<string, string>>;
  /** What the object is called in the error. */
  what?: string;
}

/**
 * The object with its `undefined` fields left out, checked. Throws InvalidRequestError that names every field at fault;
 * an unknown key is named with the nearest known one, and its value is not shown.
 */
export function checkFields<T>(value: object, check: FieldCheck<T>): T {
  const { schema, fields, hints = {}, what } = check;
  const names = Object.keys(fields);
  if (typeof value !== "object" || (value as object | null) === null || Array.isArray(value)) {
    throw new InvalidRequestError(
      [{ field: "(all)", given: show(value), allowed: "an object of fields" }],
      what,
    );
  }
  const strangers = Object.keys(value).filter((key) => !Object.hasOwn(fields, key));
  const issues: RequestIssue[] = strangers.map((key) => {
    const near = nearestName(key, names);
    const hint = Object.hasOwn(hints, key) ? hints[key] : near && `did you mean ${near}?`;
    return {
      field: key.slice(0, 64),
      given: "not a known field",
      allowed: names.join(", "),
      ...(hint && { hint }),
    };
  });
  const set: Record<string, unknown> = {};
  for (const [key, given] of Object.entries(value)) {
    if (given !== undefined && Object.hasOwn(fields, key)) set[key] = given;
  }
  const parsed = schema.safeParse(set);
  if (!parsed.success) issues.push(...fieldIssues(parsed.error, set, fields));
  if (issues.length > 0 || !parsed.success) throw new InvalidRequestError(issues, what);
  return parsed.data;
}

function fieldIssues(
  error: z.ZodError,
  value: Readonly<Record<string, unknown>>,
  fields: FieldCheck<unknown>["fields"],
): RequestIssue[] {
  const byField = new Map<string, RequestIssue>();
  for (const { path, message, code } of error.issues) {
    const [root = ""] = path;
    const nested = path.length > 1;
    const field = fieldName(path);
    const allowed = fields[String(root)]?.allowed ?? message;
    const given = Object.hasOwn(value, root) ? show(at(value, path)) : "missing";
    const detail = (nested || code === "custom") && message !== "Invalid input" ? message : "";
    byField.set(field, byField.get(field) ?? { field, given, allowed, ...(detail && { hint: detail }) });
  }
  return [...byField.values()];
}

function fieldName(path: readonly PropertyKey[]): string {
  return path
    .map((part, i) => (typeof part === "number" ? `[${part}]` : `${i > 0 ? "." : ""}${String(part)}`))
    .join("");
}

function at(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((v, part) => (v as Record<PropertyKey, unknown> | undefined)?.[part], value);
}

/** A short rendering of a value for an error: lists by their length, long texts too (one could be a secret). */
function show(value: unknown): string {
  if (Array.isArray(value))
    return value.length <= 8 && value.every((v) => typeof v === "number")
      ? `[${value.join(", ")}]`
      : `a list of ${value.length}`;
  if (typeof value === "string")
    return value.length <= 12 ? JSON.stringify(value) : `a text of ${value.length} characters`;
  if (value === null || typeof value === "number" || typeof value === "boolean") return String(value);
  return `a value of type ${typeof value}`;
}
