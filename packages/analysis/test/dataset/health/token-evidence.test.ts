import { describe, expect, test } from "vitest";
import {
  chanceOfGuesses,
  leastChance,
  mostFrequent,
  type TokenCell,
} from "../../../src/dataset/health/token-evidence.ts";
import { createRandom, type Random } from "../../../src/statistics/random.ts";
import type { ColumnValue } from "../../../src/shards/column-field.ts";

type Unit = [token: number, group: number, value: ColumnValue];

function cellsOf(units: readonly Unit[]): TokenCell[] {
  const cells = new Map<string, TokenCell>();
  for (const [token, group, value] of units) {
    const key = `${token} ${group}`;
    const cell = cells.get(key) ?? { token, group, counts: new Map<ColumnValue, number>() };
    cells.set(key, cell);
    cell.counts.set(value, (cell.counts.get(value) ?? 0) + 1);
  }
  return [...cells.values()];
}

/** All ways to choose some of so many places. */
function choices(places: number, chosen: number): number[][] {
  if (chosen === 0) return [[]];
  if (places < chosen) return [];
  const without = choices(places - 1, chosen);
  return [...without, ...choices(places - 1, chosen - 1).map((rest) => [...rest, places - 1])];
}

describe("the chance is a bound", () => {
  test.each<[string, readonly number[], number]>([
    ["two tokens", [0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1], 6],
    ["two tokens, rare labels", [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1], 2],
    ["four tokens", [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3], 4],
  ])("over every way to deal the labels: %s", (_, tokens, labelled) => {
    const chances = choices(tokens.length, labelled)
      .map((chosen) =>
        chanceOfGuesses(cellsOf(tokens.map((token, i): Unit => [token, i, chosen.includes(i)]))),
      )
      .sort((a, b) => a - b);
    expect(chances[0]).toBeLessThan(0.2);
    chances.forEach((chance, i) => {
      expect((i + 1) / chances.length).toBeLessThanOrEqual(chances[i + 1] === chance ? 1 : chance);
    });
  });

  test.each<[string, (random: Random) => Unit[]]>([
    [
      "groups of one label and one token each, of any size",
      (random) =>
        Array.from({ length: 40 }, (_, group) => {
          const unit: Unit = [random.below(12), group, random.uniform() < 0.5];
          return Array.from({ length: 1 + random.below(8) }, () => unit);
        }).flat(),
    ],
    [
      "small groups of one label, large ones of the other",
      (random) =>
        Array.from({ length: 40 }, (_, group) => {
          const value = random.uniform() < 0.8;
          return Array.from({ length: value ? 1 : 9 }, (): Unit => [random.below(12), group, value]);
        }).flat(),
    ],
    [
      "pairs",
      (random) =>
        Array.from({ length: 60 }, (_, group) => {
          const first = random.below(2) === 0;
          return [true, false].map((value): Unit => [random.below(4), group, value === first]);
        }).flat(),
    ],
    [
      "five values, of which one is frequent",
      (random) =>
        Array.from({ length: 60 }, (_, group): Unit => [
          random.below(6),
          group,
          `${Math.max(0, random.below(12) - 7)}`,
        ]),
    ],
  ])("over random %s", (name, draw) => {
    const chances = Array.from({ length: 300 }, (_, seed) =>
      chanceOfGuesses(cellsOf(draw(createRandom(seed, name)))),
    );
    expect(chances.filter((chance) => chance < 0.05).length).toBeLessThanOrEqual(15);
    expect(chances.filter((chance) => chance < 0.01).length).toBeLessThanOrEqual(3);
  });
});

test("a token that tells the label is known by few groups, the rarer the label the fewer", () => {
  const told = (groups: number, every: number): TokenCell[] =>
    cellsOf(Array.from({ length: groups }, (_, i): Unit => [i % every === 0 ? 7 : 6, i, i % every === 0]));
  expect(chanceOfGuesses(told(16, 2))).toBeLessThan(0.001);
  expect(chanceOfGuesses(told(100, 20))).toBeLessThan(1e-5);
  // One rare example tells nothing: its token was never seen before.
  expect(chanceOfGuesses(told(100, 100))).toBeGreaterThan(0.3);
  for (const cells of [told(16, 2), told(100, 20), told(10, 2)])
    expect(leastChance(cells)).toBe(chanceOfGuesses(cells));
  const mute = told(16, 2).map((cell) => ({ ...cell, token: 1 }));
  expect(chanceOfGuesses(mute)).toBeGreaterThan(0.5);
  expect(leastChance(mute)).toBeLessThan(0.001);
});

test("no value is the most frequent of a tie, or of nothing", () => {
  expect(
    mostFrequent(
      new Map([
        ["a", 2],
        ["b", 2],
        ["c", 1],
      ]),
    ),
  ).toBeUndefined();
  expect(
    mostFrequent(
      new Map([
        ["a", 2],
        ["b", 2],
        ["c", 3],
      ]),
    ),
  ).toBe("c");
  expect(mostFrequent(new Map([["a", 0]]))).toBeUndefined();
});
