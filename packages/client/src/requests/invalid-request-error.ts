import { ResiduaError } from "../residua-error.ts";

/** One field that was refused before anything was sent. */
export interface RequestIssue {
  /** Wire name, with indices for nested values: `apply_steering_vectors[0].scale`. */
  field: string;
  /** A short rendering of what was given; never the value of an unknown field. */
  given: string;
  /** What the field may be. */
  allowed: string;
  /** What to do instead, where there is more to say. */
  hint?: string;
}

/** What was asked for was refused before anything was sent or done. `issues` names every field at fault, not only the first. */
export class InvalidRequestError extends ResiduaError {
  readonly issues: readonly RequestIssue[];

  constructor(issues: readonly RequestIssue[], what = "request") {
    // Options of functions and what files hold would not have been sent.
    const left = what.endsWith("request") ? "nothing was sent" : "nothing was done";
    super("invalid_request", `invalid ${what}, ${left}: ${issues.map(sentence).join("; ")}`, {
      issues,
    });
    this.issues = issues;
  }
}

function sentence({ field, given, allowed, hint }: RequestIssue): string {
  return `${field}: ${given}; allowed: ${allowed}${hint ? ` (${hint})` : ""}`;
}
