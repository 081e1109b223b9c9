import { checkFields } from "./check-fields.ts";
import type { CompletionRequest } from "./completion-request.ts";
import { acsCompletions } from "./endpoints/acs-completions.ts";
import type { Endpoint, RequestOf } from "./endpoints/endpoint.ts";
import { endpoints } from "./endpoints/endpoints.ts";
import { InvalidRequestError, type RequestIssue } from "./invalid-request-error.ts";
import { type CheckedRequest, type Knowledge, requestFacts } from "./rules/request-facts.ts";
import { issueOf, judge, outcomeOf, type RuleOutcome } from "./rules/request-rule.ts";

/**
 * The request as it is sent: only what the caller set, every field and every rule checked with what is known without
 * asking the server. Throws InvalidRequestError.
 */
export function checkRequest(request: CompletionRequest): CompletionRequest;
export function checkRequest<E extends Endpoint>(request: RequestOf<E>, endpoint: E): RequestOf<E>;
export function checkRequest(request: object, endpoint: Endpoint = acsCompletions): object {
  const checked = checkEndpointFields(request, endpoint);
  const { issues } = applyRules(checked, endpoint);
  if (issues.length > 0) throw new InvalidRequestError(issues, endpoint.what);
  return checked;
}

/** Every field by itself; a null that a field takes counts as left out. Throws InvalidRequestError. */
export function checkEndpointFields(request: object, endpoint: Endpoint): object {
  const { schema, fields, what } = endpoint;
  const checked = checkFields(request, { schema, fields, hints: hintsOf(endpoint), what });
  return Object.fromEntries(Object.entries(checked).filter(([, value]) => value !== null));
}

/** What each rule says of a request whose fields are checked. */
export function ruleOutcomes(
  checked: object,
  { profile, rules }: Endpoint,
  known?: Knowledge,
): RuleOutcome[] {
  const facts = requestFacts(profile, checked as CheckedRequest, known);
  return rules.map((rule) => outcomeOf(rule, rule.measure(facts)));
}

/** The rules that a request exceeds, and whether some rule could not tell because of what it counts. */
export function applyRules(
  checked: object,
  { profile, rules }: Endpoint,
  known?: Knowledge,
): { issues: RequestIssue[]; uncounted: boolean } {
  const facts = requestFacts(profile, checked as CheckedRequest, known);
  const issues: RequestIssue[] = [];
  let uncounted = false;
  for (const rule of rules) {
    const measure = rule.measure(facts);
    if (measure === undefined) continue;
    const outcome = judge(rule, measure);
    if (outcome === "exceeds") issues.push(issueOf(rule, measure));
    else if (outcome === "unknown" && measure.value.least < measure.value.most) uncounted = true;
  }
  return { issues, uncounted };
}

const allHints = new Map<Endpoint, Readonly<Record<string, string>>>();

/** The endpoint's own hints, and for fields of other kinds of server whose they are. */
function hintsOf(endpoint: Endpoint): Readonly<Record<string, string>> {
  const known = allHints.get(endpoint);
  if (known !== undefined) return known;
  const hints: Record<string, string> = {};
  for (const other of Object.values(endpoints).flat()) {
    if (other.profile === endpoint.profile) continue;
    for (const name of Object.keys(other.fields)) {
      if (Object.hasOwn(endpoint.fields, name)) continue;
      hints[name] ??=
        `a field of the ${other.profile} profile's ${other.name}; ${endpoint.profile} has none of this name`;
    }
  }
  const all = { ...hints, ...endpoint.hints };
  allHints.set(endpoint, all);
  return all;
}
