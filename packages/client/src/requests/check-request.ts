import { checkFields } from "./check-fields.ts";
import type { CompletionRequest } from "./completion-request.ts";
import { InvalidRequestError, type RequestIssue } from "./invalid-request-error.ts";
import { completionFields, completionHints, completionRequestSchema } from "./request-fields.ts";
import { requestRules } from "./request-rules.ts";

/** The request as it is sent: only what the caller set, every field and rule checked. Throws InvalidRequestError. */
export function checkRequest(request: CompletionRequest): CompletionRequest {
  const checked = checkFields(request, {
    schema: completionRequestSchema,
    fields: completionFields,
    hints: completionHints,
    what: "completion request",
  });
  const issues = brokenRules(checked);
  if (issues.length > 0) throw new InvalidRequestError(issues, "completion request");
  return checked;
}

/** The cross-field rules that a request breaks, each with its worked sum. */
function brokenRules(request: CompletionRequest): RequestIssue[] {
  return requestRules.flatMap((rule) => {
    const measured = rule.measure(request);
    if (measured === undefined || measured.value <= rule.limit) return [];
    return {
      field: rule.field,
      given: `${measured.sum} = ${measured.value}, over the ${rule.limit} ${rule.allows}`,
      allowed: `${rule.formula} at most ${rule.limit}`,
      ...(rule.hint !== undefined && { hint: rule.hint }),
    };
  });
}
