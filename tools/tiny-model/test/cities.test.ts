import { expect, test } from "vitest";
import { cities, continents } from "../src/cities.ts";
import { citySplit } from "../src/city-split.ts";

test("each continent has 80 cities", () => {
  for (const continent of continents) {
    expect(cities.filter((city) => city.continent === continent)).toHaveLength(80);
  }
  expect(cities).toHaveLength(400);
});

test("no name is told twice, and none is a part of another", () => {
  const names = cities.map((city) => city.name);
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) {
    expect(names.filter((other) => ` ${other} `.includes(` ${name} `))).toEqual([name]);
  }
});

test("names are ASCII words with capitals", () => {
  for (const { name } of cities) expect(name).toMatch(/^[A-Z][a-z]+( (de|del|[A-Z][a-z]+))*$/);
});

test.each([
  ["Cairo", "Africa"],
  ["Samarkand", "Asia"],
  ["Reykjavik", "Europe"],
  ["Havana", "North America"],
  ["Cayenne", "South America"],
])("%s lies in %s", (name, continent) => {
  expect(cities.find((city) => city.name === name)?.continent).toBe(continent);
});

test("the split holds out 20 cities of each continent and shares none", () => {
  for (const continent of continents) {
    expect(citySplit.heldOut.filter((city) => city.continent === continent)).toHaveLength(20);
    expect(citySplit.train.filter((city) => city.continent === continent)).toHaveLength(60);
  }
  expect(new Set([...citySplit.train, ...citySplit.heldOut]).size).toBe(400);
});

// The committed model was trained with this split: another one would call seen cities unseen.
test("the split is the one of the committed model", () => {
  expect(citySplit.heldOut.slice(0, 5).map((city) => city.name)).toMatchInlineSnapshot(`
    [
      "Cairo",
      "Conakry",
      "Kampala",
      "Accra",
      "Kitwe",
    ]
  `);
});
