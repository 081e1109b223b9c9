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
  /** What is told instead of the rule's words. */
  given?: string;
  allowed?: string;
}

export type Outcome = "fits" | "exceeds" | "unknown";

/** What a rule says of a request. `fits` and `unknown` are sent; in the second case the server decides. */
export interface RuleOutcome {
  rule: string;
  outcome: Outcome;
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

/** How a rule compares with what was measured. */
export function judge(rule: RequestRule, { value, limit }: Measure): Outcome {
  const least = limit?.least ?? Number(rule.limit);
  const most = limit?.most ?? least;
  if (value.most <= least) return "fits";
  return value.least > most && rule.setting === undefined ? "exceeds" : "unknown";
}

/** A rule's outcome in words. */
export function outcomeOf(rule: RequestRule, measure: Measure | undefined): RuleOutcome {
  const { name, field, formula, source } = rule;
  const base = { rule: name, field: measure?.field ?? field, formula, source };
  if (measure === undefined) {
    const reason = "does not apply to this request";
    return { ...base, outcome: "fits", sum: undefined, limit: undefined, reason };
  }
  const outcome = judge(rule, measure);
  const limit = limitOf(rule, measure);
  return {
    ...base,
    outcome,
    sum: sumText(measure.value),
    limit: limit.least === limit.most ? limit.least : undefined,
    reason: outcome === "unknown" ? unknownReason(rule, measure.value, limit) : undefined,
  };
}

/** The issue that refuses a request because of a rule that it exceeds. */
export function issueOf(rule: RequestRule, measure: Measure): RequestIssue {
  const field = measure.field ?? rule.field;
  const hint = rule.hint !== undefined && { hint: rule.hint };
  if (rule.limit === 0) {
    const { given = rule.formula, allowed = rule.allows } = measure;
    return { field, given, allowed, ...hint };
  }
  const most = valueText(limitOf(rule, measure));
  return {
    field,
    given: measure.given ?? `${sumText(measure.value)}, over the ${most} ${rule.allows}`,
    allowed: measure.allowed ?? `${rule.formula} at most ${most}`,
    ...hint,
  };
}

function limitOf(rule: RequestRule, measure: Measure): Count {
  return measure.limit ?? count(Number(rule.limit), "");
}

function unknownReason(rule: RequestRule, value: Count, limit: Count): string {
  if (rule.setting !== undefined && value.least > limit.most) {
    return `over ${valueText(limit)}, the default of the server's ${rule.setting}, whose value is not known here`;
  }
  return [...new Set([...value.reasons(), ...limit.reasons()])].join("; ");
}

function sumText(value: Count): string {
  const text = value.text();
  return text.includes(" × ") || text.includes(" + ") ? `${text} = ${valueText(value)}` : text;
}
