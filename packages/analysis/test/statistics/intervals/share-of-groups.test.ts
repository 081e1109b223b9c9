import { expect, test } from "vitest";
import { shareOfGroups } from "../../../src/statistics/intervals/share-of-groups.ts";

test("the share counts rows; the interval redraws groups", () => {
  const groups = Array.from({ length: 40 }, (_, row) => Math.floor(row / 2));
  const hits = groups.map((group) => group < 10);
  const whole = shareOfGroups({ hits, groups });
  expect(whole).toMatchObject({ value: 0.5, n: 40, groups: 20 });
  // Two equal rows a group tell no more than one: the interval is that of 20 rows, wider than that of 40.
  const rowwise = shareOfGroups({ hits, groups: groups.map((_, row) => row) });
  expect(whole.high! - whole.low!).toBeGreaterThan(1.2 * (rowwise.high! - rowwise.low!));
});

test("no row, no share", () => {
  expect(shareOfGroups({ hits: [], groups: [] })).toMatchObject({ value: null, reason: "there is no row" });
});
