import { expect, test } from "vitest";
import {
  smallestDetectableDifference,
  smallestDetectableFromNull,
} from "../../../src/statistics/intervals/smallest-detectable.ts";
import { createRandom } from "../../../src/statistics/random.ts";

test("P12: a true difference of that size is found with the power asked for", () => {
  const random = createRandom(4, "power");
  const groups = 12;
  const size = smallestDetectableDifference({ standardError: 1 / Math.sqrt(groups), groups });
  let found = 0;
  for (let set = 0; set < 4000; set++) {
    const values = Array.from({ length: groups }, () => size + random.gaussian());
    const mean = values.reduce((a, b) => a + b) / groups;
    const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (groups - 1);
    // t₀.₉₇₅ of 11 degrees of freedom.
    found += Number(mean / Math.sqrt(variance / groups) > 2.200985);
  }
  expect(found / 4000).toBeGreaterThan(0.77);
  expect(found / 4000).toBeLessThan(0.83);
});

test("from a null: its 95 % quantile above its mean, and 0.84 of its deviations", () => {
  const shuffled = Array.from({ length: 101 }, (_, i) => i / 100);
  const deviation = Math.sqrt(shuffled.reduce((sum, value) => sum + (value - 0.5) ** 2, 0) / 100);
  expect(smallestDetectableFromNull({ shuffled })).toBeCloseTo(0.45 + 0.8416212 * deviation, 6);
  expect(smallestDetectableFromNull({ shuffled: shuffled.slice(0, 19) })).toBeNull();
  expect(() => smallestDetectableFromNull({ shuffled: new Array(20).fill(NaN) })).toThrow(/NaN/);
});

test("options are checked", () => {
  expect(() => smallestDetectableDifference({ standardError: 1, groups: 1 })).toThrow(/groups/);
  expect(() => smallestDetectableDifference({ standardError: NaN, groups: 9 })).toThrow(/standardError/);
});
