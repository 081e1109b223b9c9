import type { RequestIssue } from "../invalid-request-error.ts";
import { type Count, count, valueText } from "./count.ts";
import type { RequestFacts } from "./request-facts.ts";

/** A rule over several fields. The check, the error text and the docs all read the one list of an endpoint. */
export interface RequestRule {
  name: string;
  /** What is counted, in words; of a rule with limit 0, what is refused. */
  formula: string;
  /** In words where it depends on the request or the model. */
  limit: number | string;
  /** What the limit is on: ends the sentence "… = 51200, over the 32000 …". Of a rule with limit 0: what is allowed. */
  allows: string;
  source: string;
  /** The field that an error names. */
  field: string;
  hint?: string;
  /** The limit is this setting of the server, at its default: more than that is not known to be refused. */
  setting?: string;
  /** It holds for several prompts when it holds for each. */
  perPrompt?: true;
  /** Undefined where the rule does not apply. */
  measure(facts: RequestFacts): Measure | undefined;
}

export interface Measure {
  value: Count;
  /** Where the rule's limit is in words. */
  limit?: Count;
  /** The field at fault, where it is more exact than the rule's. */
  field?: string;
}

/** What a rule says of a request. `fits` and `unknown` are sent; in the second case the server decides. */
export interface RuleOutcome {
  rule: string;
  outcome: "fits" | "exceeds" | "unknown";
  /** The field that it is about. */
  field: string;
  /** What is counted, in words. */
  formula: string;
  /** The worked sum, such as `2 prompts × 3 choices = 6`; undefined where the rule does not apply. */
  sum: string | undefined;
  /** The limit as a number, where it is known exactly. */
  limit: number | undefined;
  /** Why the outcome is unknown, or why the rule does not apply. */
  reason: string | undefined;
  source: string;
}

/** A rule's outcome, and the issue that refuses the request when it exceeds. */
export function applyRule(
  rule: RequestRule,
  facts: RequestFacts,
): { outcome: RuleOutcome; issue: RequestIssue | undefined } {
  const measure = rule.measure(facts);
  const { name, field, formula, source } = rule;
  const base = { rule: name, field: measure?.field ?? field, formula, source };
  if (measure === undefined) {
    const reason = "does not apply to this request";
    return {
      outcome: { ...base, outcome: "fits", sum: undefined, limit: undefined, reason },
      issue: undefined,
    };
  }
  const { value } = measure;
  const limit = measure.limit ?? count(Number(rule.limit), "");
  const sum = sumText(value);
  const told = { ...base, sum, limit: limit.least === limit.most ? Number(limit.least) : undefined };
  if (value.most !== undefined && value.most <= limit.least) {
    return { outcome: { ...told, outcome: "fits", reason: undefined }, issue: undefined };
  }
  if (limit.most === undefined || value.least <= limit.most) {
    const reason = [...new Set([...value.reasons, ...limit.reasons])].join("; ");
    return { outcome: { ...told, outcome: "unknown", reason }, issue: undefined };
  }
  if (rule.setting !== undefined) {
    const reason = `over ${valueText(limit)}, the default of the server's ${rule.setting}, whose value is not known here`;
    return { outcome: { ...told, outcome: "unknown", reason }, issue: undefined };
  }
  return {
    outcome: { ...told, outcome: "exceeds", reason: undefined },
    issue: issueOf(rule, sum, limit, base.field),
  };
}

function issueOf(rule: RequestRule, sum: string, limit: Count, field: string): RequestIssue {
  const hint = rule.hint !== undefined && { hint: rule.hint };
  if (rule.limit === 0) return { field, given: rule.formula, allowed: rule.allows, ...hint };
  const most = valueText(limit);
  return {
    field,
    given: `${sum}, over the ${most} ${rule.allows}`,
    allowed: `${rule.formula} at most ${most}`,
    ...hint,
  };
}

function sumText(value: Count): string {
  const worked = value.text.includes(" × ") || value.text.includes(" + ");
  return worked ? `${value.text} = ${valueText(value)}` : value.text;
}
