import { expect, test } from "vitest";
import { clopperPearson, shareInterval } from "../../../src/statistics/intervals/share-interval.ts";
import { createRandom } from "../../../src/statistics/random.ts";
import { fixture } from "../statistics-fixture.ts";

const { clopper, grouped } = fixture.shares;

test("Clopper and Pearson's interval equals statsmodels'", () => {
  for (const { hits, n, interval } of clopper) {
    const { low, high } = clopperPearson(hits, n);
    expect(low).toBeCloseTo(interval[0], 10);
    expect(high).toBeCloseTo(interval[1], 10);
  }
});

test("grouped rows count as many as they are worth (Korn and Graubard)", () => {
  const found = shareInterval({ hits: grouped.hits, groups: grouped.group });
  expect(grouped.worth).toBeLessThan(grouped.hits.length);
  expect(found.low).toBeCloseTo(grouped.low, 10);
  expect(found.high).toBeCloseTo(grouped.high, 10);
  // The same rows as if each were a group of its own.
  const rowwise = shareInterval({ hits: grouped.hits, groups: grouped.hits.map((_, row) => row) });
  expect(rowwise.high! - rowwise.low!).toBeLessThan(found.high! - found.low!);
});

test("none hit leaves as much open as there are groups, not rows", () => {
  const groups = Array.from({ length: 200 }, (_, row) => row % 20);
  const none = shareInterval({ hits: groups.map(() => false), groups });
  expect(none).toMatchObject({ value: 0, low: 0, n: 200, groups: 20 });
  expect(none.high).toBeCloseTo(1 - 0.025 ** (1 / 20), 12);
});

test("holds the true share in 95 % of sets or more, for a rare event in unequal groups", () => {
  const random = createRandom(1, "shares");
  let held = 0;
  for (let set = 0; set < 300; set++) {
    const hits: boolean[] = [];
    const groups: number[] = [];
    for (let group = 0; group < 60; group++) {
      // Half of all hits come from one group in ten: 0.1 · 0.25 + 0.9 · 0.025 / 0.9 = 0.05.
      const share = random.uniform() < 0.1 ? 0.25 : 0.025 / 0.9;
      for (let i = 0, size = 1 + random.below(20); i < size; i++) {
        hits.push(random.uniform() < share);
        groups.push(group);
      }
    }
    const { low, high } = shareInterval({ hits, groups });
    held += Number(low! <= 0.05 && 0.05 <= high!);
  }
  expect(held / 300).toBeGreaterThan(0.93);
});

test("P5: no row and one group have no interval, and say why", () => {
  expect(shareInterval({ hits: [], groups: [] })).toMatchObject({ value: null, reason: "there is no row" });
  expect(shareInterval({ hits: [1, 0], groups: [0, 0] })).toMatchObject({
    value: 0.5,
    low: null,
    reason: /at least 2 groups/,
  });
});
