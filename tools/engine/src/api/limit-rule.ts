import { invalidRequest } from "./api-error.ts";

type Factor = readonly [value: number, unit: string];

/** A limit on a product of a request's numbers, as data: the error prints its factors and their product. */
export interface LimitRule<Facts> {
  readonly name: string;
  readonly field: string;
  readonly limit: (facts: Facts) => number;
  /** What the limit is a limit of. */
  readonly unit: string;
  readonly holder: string;
  /** Null when the rule does not apply (yet). */
  readonly factors: (facts: Facts) => readonly Factor[] | null;
  /** Where the API's documentation states it. */
  readonly source: string;
}

/** Throws ApiError 400 `invalid_request`, with the sum, for the first limit that a request breaks. */
export function checkRules<Facts>(rules: readonly LimitRule<Facts>[], facts: Facts): void {
  for (const rule of rules) {
    const factors = rule.factors(facts);
    if (factors === null) continue;
    const product = factors.reduce((total, [value]) => total * value, 1);
    const limit = rule.limit(facts);
    if (product <= limit) continue;
    const sum = factors.map(([value, unit]) => `${value} ${unit}`).join(" × ");
    const result = factors.length > 1 ? ` = ${product}${rule.unit && ` ${rule.unit}`}` : "";
    throw invalidRequest(`${rule.field}: ${sum}${result}, over the ${limit} ${rule.holder}`);
  }
}
