import { ApiError } from "@residua/engine/api";

/** Tokens that a key may use: in all, on a day and in a month (UTC); undefined for any number. */
export interface Budgets {
  readonly total?: number | undefined;
  readonly daily?: number | undefined;
  readonly monthly?: number | undefined;
}

/** Tokens of a key that were settled, by when. */
export interface Settled {
  readonly total: number;
  readonly daily: number;
  readonly monthly: number;
}

/** The day, or the month, of a time in ISO 8601 in UTC. */
export const periods = {
  daily: (at: string) => at.slice(0, "2026-11-29".length),
  monthly: (at: string) => at.slice(0, "2026-11".length),
} as const;

/** When the budget of a day or a month begins anew, in ISO 8601. */
export function resetAfter(period: keyof typeof periods, at: string): string {
  const date = new Date(`${periods.daily(at)}T00:00:00.000Z`);
  if (period === "daily") date.setUTCDate(date.getUTCDate() + 1);
  else date.setUTCMonth(date.getUTCMonth() + 1, 1);
  return date.toISOString();
}

interface Use {
  readonly held: number;
  readonly settled: Settled;
  /** Now, in ISO 8601. */
  readonly at: string;
}

/**
 * Throws ApiError 429 `budget_exceeded`, naming the budget, when that many more tokens would go over one. What is held
 * counts in each.
 */
export function checkBudgets(tokens: number, budgets: Budgets, { held, settled, at }: Use): void {
  for (const [name, words] of [
    ["total", "budget"],
    ["daily", "daily budget"],
    ["monthly", "monthly budget"],
  ] as const) {
    const budget = budgets[name];
    if (budget === undefined) continue;
    const left = Math.max(0, budget - held - settled[name]);
    if (tokens <= left) continue;
    const reset = name === "total" ? "" : `; it begins anew at ${resetAfter(name, at)}`;
    throw new ApiError(
      429,
      "budget_exceeded",
      `this request holds ${tokens} tokens (prompts and max_tokens of all choices) and ${left} are left of the key's ${words} of ${budget}: ${settled[name]} are used and ${held} held${reset}`,
    );
  }
}
