import { expect, test } from "vitest";
import { randomSource } from "../src/random-source.ts";

// From the reference implementation in C, seed 1.
test("numbers are those of mulberry32", () => {
  const random = randomSource(1);
  const drawn = Array.from({ length: 3 }, () => random.next() * 2 ** 32);
  expect(drawn).toEqual([2693262067, 11749833, 2265367787]);
});

test("below covers its range evenly", () => {
  const random = randomSource(5);
  const counts = new Array<number>(10).fill(0);
  for (let draw = 0; draw < 100_000; draw++) counts[random.below(10)]! += 1;
  for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(500);
});

test("shuffled keeps every item and the original", () => {
  const items = Array.from({ length: 100 }, (_, index) => index);
  const shuffled = randomSource(2).shuffled(items);
  expect(shuffled).not.toEqual(items);
  expect([...shuffled].sort((a, b) => a - b)).toEqual(items);
  expect(items[0]).toBe(0);
});

test("an empty list has nothing to pick", () => {
  expect(() => randomSource(1).pick([])).toThrow(RangeError);
});
