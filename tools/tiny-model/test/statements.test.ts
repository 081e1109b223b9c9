import { expect, test } from "vitest";
import { cities, continents } from "../src/cities.ts";
import { citySplit } from "../src/city-split.ts";
import { statementsAbout } from "../src/statements.ts";

test.each([
  ["train", 600],
  ["heldOut", 200],
] as const)("the statements about %s cities are balanced", (split, count) => {
  const statements = statementsAbout({ split });
  expect(statements).toHaveLength(count);
  for (const { name } of citySplit[split]) {
    const own = statements.filter((statement) => statement.city === name);
    expect(own.map((statement) => statement.truth).sort()).toEqual([false, true]);
  }
  for (const continent of continents) {
    const claims = statements.filter((statement) => statement.continent === continent);
    expect(claims).toHaveLength(count / 5);
    expect(claims.filter((statement) => statement.truth)).toHaveLength(count / 10);
  }
});

test("a statement's truth is that of its city's continent", () => {
  const continentOf = new Map(cities.map((city) => [city.name, city.continent]));
  for (const { prompt, city, continent, truth, group } of statementsAbout({ split: "heldOut" })) {
    expect(prompt).toBe(`The city of ${city} is in ${continent}. Verdict:`);
    expect(truth).toBe(continentOf.get(city) === continent);
    expect(group).toBe(city);
  }
});

test("the seed changes order and false continents, not which cities are held out", () => {
  const [first, again, other] = [1, 1, 2].map((seed) => statementsAbout({ split: "heldOut", seed }));
  expect(again).toEqual(first);
  expect(other).not.toEqual(first);
  expect(new Set(other!.map(({ city }) => city))).toEqual(new Set(first!.map(({ city }) => city)));
  const falsely = (statements: typeof first) =>
    new Set(statements!.filter((s) => !s.truth).map((s) => s.prompt));
  expect(falsely(other)).not.toEqual(falsely(first));
});
