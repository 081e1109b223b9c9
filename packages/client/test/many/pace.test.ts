import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Pace } from "../../src/many/pace.ts";
import { StartRate } from "../../src/many/start-rate.ts";

const backoff = { first: 100, longest: 1000 };

describe("Pace", () => {
  it("halves once for all that were under way, and grows by one a round", () => {
    const pace = new Pace(16, backoff, () => 0);
    for (let i = 0; i < 5; i++) pace.refused({ started: i, now: 10, retryAfter: undefined });
    expect(pace.limit).toBe(8);
    expect(pace.waitAt(10)).toBe(100);
    pace.refused({ started: 120, now: 130, retryAfter: undefined });
    expect(pace.limit).toBe(4);
    expect(pace.waitAt(130)).toBe(200);
    for (let i = 0; i < 5; i++) pace.succeeded();
    expect(pace.limit).toBe(5);
    for (let i = 0; i < 500; i++) pace.succeeded();
    expect(pace.limit).toBe(16);
  });

  it("keeps to the longest Retry-After", () => {
    const pace = new Pace(4, backoff);
    pace.refused({ started: 0, now: 10, retryAfter: 5 });
    pace.refused({ started: 0, now: 10, retryAfter: 2 });
    expect(pace.waitAt(10)).toBe(5000);
    expect(pace.waitAt(6000)).toBe(0);
  });

  it("stays between 1 and the cap", () => {
    const events = fc.array(fc.boolean(), { maxLength: 300 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 64 }), events, (cap, happened) => {
        const pace = new Pace(cap, backoff);
        happened.forEach((good, now) => {
          if (good) pace.succeeded();
          else pace.refused({ started: now, now, retryAfter: undefined });
          expect(pace.limit).toBeGreaterThanOrEqual(1);
          expect(pace.limit).toBeLessThanOrEqual(cap);
          expect(pace.waitAt(now)).toBeLessThanOrEqual(1000);
        });
      }),
    );
  });
});

describe("StartRate", () => {
  it("lets no more than its number start in any minute, and nearly as many", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 900 }),
        fc.array(fc.nat({ max: 5000 }), { maxLength: 50 }),
        (rate, pauses) => {
          const pace = new StartRate(rate);
          const starts: number[] = [];
          for (let now = 0; now < 200_000;) {
            now += pace.waitAt(now);
            pace.started(now);
            starts.push(now);
            if (starts.length % 7 === 0) now += pauses[starts.length % pauses.length] ?? 0;
          }
          starts.forEach((start, i) => {
            const next = starts[i + rate];
            if (next !== undefined) expect(next - start).toBeGreaterThanOrEqual(60_000 - 1e-6);
          });
          if (pauses.length === 0) expect(starts.length).toBeGreaterThan(0.95 * rate * (200 / 60) - 1);
        },
      ),
      { numRuns: 60 },
    );
  });
});
