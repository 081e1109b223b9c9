import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { resetAfter, type Budgets } from "../src/budgets.ts";
import { Ledger, type LedgerEntry } from "../src/ledger.ts";

const hour = 3_600_000;
const start = Date.parse("2026-11-27T20:00:00Z");

test("a day ends at midnight UTC, a month with its last day", () => {
  expect(resetAfter("daily", "2026-11-29T23:59:59.999Z")).toBe("2026-11-30T00:00:00.000Z");
  expect(resetAfter("daily", "2028-02-28T00:00:00.000Z")).toBe("2028-02-29T00:00:00.000Z");
  expect(resetAfter("monthly", "2026-01-31T12:00:00.000Z")).toBe("2026-02-01T00:00:00.000Z");
  expect(resetAfter("monthly", "2026-12-01T00:00:00.000Z")).toBe("2027-01-01T00:00:00.000Z");
});

describe("budgets of a day and a month", () => {
  test("name themselves, and begin anew", () => {
    let now = Date.parse("2026-11-29T22:00:00Z");
    const ledger = new Ledger(undefined, () => new Date(now));
    const budgets = { daily: 10, monthly: 25, total: 45 };
    const spend = (tokens: number) => ledger.hold("ann", tokens, budgets).settle(tokens);
    spend(10);
    expect(() => spend(1)).toThrow(
      "this request holds 1 tokens (prompts and max_tokens of all choices) and 0 are left of the key's daily budget of 10: 10 are used and 0 held; it begins anew at 2026-11-30T00:00:00.000Z",
    );
    now += 2 * hour;
    spend(10);
    now += 24 * hour;
    // December: both begin anew.
    spend(10);
    now += 24 * hour;
    spend(10);
    now += 24 * hour;
    expect(() => spend(6)).toThrow(/ 5 are left of the key's budget of 45: 40 are used and 0 held$/);
    spend(5);
    expect(() => ledger.hold("ann", 6, { monthly: 25 })).toThrow(
      "0 are left of the key's monthly budget of 25: 25 are used and 0 held; it begins anew at 2027-01-01T00:00:00.000Z",
    );
    // Another key has its own.
    ledger.hold("ben", 10, budgets);
  });

  test("are never overdrawn, refuse nothing that fits, and survive a restart, whatever the times", () => {
    const step = fc.record({
      hours: fc.oneof(fc.constant(0), fc.nat(30), fc.nat(24 * 40)),
      tokens: fc.nat(30),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
      end: fc.nat(4),
      restart: fc.boolean(),
    });
    const limit = fc.option(fc.integer({ min: 0, max: 120 }), { nil: undefined });
    const limits: fc.Arbitrary<Budgets> = fc.record({ total: limit, daily: limit, monthly: limit });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), limits, (steps, budgets) => {
        let now = start;
        const entries: LedgerEntry[] = [];
        const open: { tokens: number; settle: (written: number) => void }[] = [];
        const create = () =>
          new Ledger(
            (entry) => entries.push(entry),
            () => new Date(now),
          );
        let ledger = create();
        /** By the entries alone: what was settled in a stretch of time that ISO 8601 names. */
        const settled = (period: string) =>
          entries
            .filter(({ kind, at }) => kind === "settle" && at.startsWith(period))
            .reduce((sum, { tokens }) => sum - tokens, 0);
        for (const { hours, tokens, share, end, restart } of steps) {
          now += hours * hour;
          if (restart) {
            const past = [...entries];
            ledger = create();
            ledger.resume(past);
            open.length = 0;
          }
          const at = new Date(now).toISOString();
          const held = open.reduce((sum, hold) => sum + hold.tokens, 0);
          const fits = Object.entries({ total: "", daily: at.slice(0, 10), monthly: at.slice(0, 7) }).every(
            ([name, period]) =>
              held + settled(period) + tokens <= (budgets[name as keyof Budgets] ?? Infinity) || tokens === 0,
          );
          let taken = true;
          try {
            const hold = ledger.hold("ann", tokens, budgets);
            open.push({ tokens, settle: hold.settle });
          } catch (error) {
            expect(error).toMatchObject({ status: 429, code: "budget_exceeded", retryAfter: undefined });
            taken = false;
          }
          expect(taken).toBe(fits);
          const [ending] = open.splice(end, 1);
          ending?.settle(Math.floor(share * ending.tokens));
          expect(settled(at.slice(0, 10))).toBeLessThanOrEqual(budgets.daily ?? Infinity);
          expect(settled(at.slice(0, 7))).toBeLessThanOrEqual(budgets.monthly ?? Infinity);
          expect(settled("")).toBeLessThanOrEqual(budgets.total ?? Infinity);
        }
      }),
      { numRuns: 300 },
    );
  });

  test("count on when the clock is set back", () => {
    let now = start;
    const ledger = new Ledger(undefined, () => new Date(now));
    ledger.hold("ann", 10, { daily: 10 }).settle(10);
    now -= 30 * hour;
    expect(() => ledger.hold("ann", 1, { daily: 10 })).toThrow("daily budget of 10: 10 are used");
  });
});
