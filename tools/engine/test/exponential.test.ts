import fc from "fast-check";
import { expect, test } from "vitest";
import { exponential } from "../src/exponential.ts";

test("agrees with Math.exp to 4e-16 of the value", () => {
  fc.assert(
    fc.property(fc.double({ min: -708, max: 709, noNaN: true }), (x) => {
      expect(Math.abs(exponential(x) / Math.exp(x) - 1)).toBeLessThan(4.5e-16);
    }),
    { numRuns: 5000 },
  );
});

test.each([0, -0, -708.4, -745.2, -746, 709.7, 710, Infinity, -Infinity, NaN])("is Math.exp's at %d", (x) =>
  expect(exponential(x)).toBe(Math.exp(x)),
);
