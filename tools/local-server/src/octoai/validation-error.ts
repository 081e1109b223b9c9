import { EngineRequestError } from "@residua/engine";
import type { z } from "zod";
import { ApiError } from "@residua/engine/api";

/** A fault of a request's body: where it is, what is wrong, and of what kind. */
export interface ValidationIssue {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

/** A body that breaks rules: answered with 422 and `detail`. */
export class ValidationError extends ApiError {
  readonly issues: readonly ValidationIssue[];

  constructor(issues: readonly ValidationIssue[]) {
    super(
      422,
      "validation_error",
      issues.map(({ loc, msg }) => `${loc.slice(1).join(".") || "body"}: ${msg}`).join("; "),
    );
    this.name = "ValidationError";
    this.issues = issues;
  }
}

/** One fault of one field. */
export function invalidField(field: string, msg: string): ValidationError {
  return new ValidationError([{ loc: ["body", field], msg, type: "value_error" }]);
}

/** The field that a message begins with, as the messages of this server do. */
export function namedField(message: string): string | null {
  return /^([a-z_]+)(?:[.[][^:]*)?: /.exec(message)?.[1] ?? null;
}

/** A refusal by the parts that all profiles share, in this profile's form; anything else stays what it is. */
export function asValidationError(error: unknown): unknown {
  if (error instanceof ValidationError) return error;
  const refused = (error instanceof ApiError && error.status === 400) || error instanceof EngineRequestError;
  if (!refused) return error;
  const { message, code } = error;
  const field = namedField(message);
  const loc = field === null || field === "body" ? ["body"] : ["body", field];
  const type = code === "invalid_request" ? "value_error" : code;
  return new ValidationError([{ loc, msg: message.replace(/^[a-z_]+: /, ""), type }]);
}

/** Faults that an answer lists. */
const shownIssues = 20;
/** Characters of a name in an answer. */
const shownName = 100;

/** What a schema found wrong. `forms`: what a field takes whose schema is a choice of several forms. */
export function schemaError(
  issues: readonly z.core.$ZodIssue[],
  body: unknown,
  forms: Readonly<Record<string, string>>,
): ValidationError {
  const found = issues.slice(0, shownIssues).flatMap((issue): ValidationIssue[] => {
    const at = (path: readonly PropertyKey[]) => [
      "body",
      ...path.map((part) => (typeof part === "number" ? part : String(part).slice(0, shownName))),
    ];
    if (issue.code === "unrecognized_keys") {
      return issue.keys.map((key) => ({
        loc: at([...issue.path, key]),
        msg: "unknown field; leave it out",
        type: "extra_forbidden",
      }));
    }
    const [name] = issue.path;
    const form = forms[String(name)];
    if (form !== undefined) return [{ loc: at([name!]), msg: form, type: "value_error" }];
    if (issue.code === "invalid_type" && issue.path.length === 1 && !(name! in Object(body)))
      return [{ loc: at(issue.path), msg: "field required", type: "missing" }];
    const type = issue.code === "invalid_type" ? "type_error" : "value_error";
    return [{ loc: at(issue.path), msg: issue.message, type }];
  });
  return new ValidationError(found.slice(0, shownIssues));
}
