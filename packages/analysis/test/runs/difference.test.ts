import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { difference, intervalsApart } from "../../src/runs/compare/difference.ts";

/** Wilson's score interval of a share. */
function wilson(hits: number, n: number) {
  const z = 1.959963984540054;
  const p = hits / n;
  const middle = (p + z ** 2 / (2 * n)) / (1 + z ** 2 / n);
  const half = (z / (1 + z ** 2 / n)) * Math.sqrt((p * (1 - p)) / n + z ** 2 / (4 * n ** 2));
  return { value: p, low: middle - half, high: middle + half };
}

describe("difference", () => {
  it("is Newcombe's where both are shares with Wilson's intervals (1998, table II, method 10)", () => {
    const found = difference(wilson(56, 70), wilson(48, 80));
    expect(found.value).toBeCloseTo(0.2, 12);
    expect(found.low).toBeCloseTo(0.0524, 4);
    expect(found.high).toBeCloseTo(0.3339, 4);
  });

  it("holds the difference, turns with its sides, and is nothing but the other's interval against a sure number", () => {
    const number = fc.double({ min: -100, max: 100, noNaN: true });
    const half = fc.double({ min: 0, max: 10, noNaN: true });
    const any = fc
      .tuple(number, half, half)
      .map(([value, down, up]) => ({ value, low: value - down, high: value + up }));
    fc.assert(
      fc.property(any, any, (a, b) => {
        const found = difference(a, b);
        expect(found.low).toBeLessThanOrEqual(found.value! + 1e-9);
        expect(found.high).toBeGreaterThanOrEqual(found.value! - 1e-9);
        const turned = difference(b, a);
        expect(turned.low).toBeCloseTo(-found.high!, 9);
        const sure = { value: b.value, low: b.value, high: b.value };
        expect(difference(a, sure).low).toBeCloseTo(a.low - b.value, 9);
      }),
    );
  });

  it("has no value or no interval where one of the numbers has none", () => {
    const whole = { value: 1, low: 0, high: 2 };
    expect(difference(whole, { value: null, low: null, high: null, reason: "one class" })).toEqual({
      value: null,
      low: null,
      high: null,
      reason: "one class",
    });
    expect(difference(whole, { value: 3, low: null, high: null })).toMatchObject({ value: -2, low: null });
  });
});

describe("intervalsApart", () => {
  it("is a fact of both intervals", () => {
    expect(intervalsApart({ value: 1, low: 0, high: 2 }, { value: 4, low: 3, high: 5 })).toBe(true);
    expect(intervalsApart({ value: 1, low: 0, high: 3 }, { value: 4, low: 3, high: 5 })).toBe(false);
    expect(intervalsApart({ value: 1, low: null, high: null }, { value: 4, low: 3, high: 5 })).toBeNull();
  });
});
