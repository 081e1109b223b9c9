import { expect, test } from "vitest";
import { continents } from "../src/cities.ts";
import { citySplit } from "../src/city-split.ts";
import { makeCorpus, mix, openBookShare, type TextKind } from "../src/corpus.ts";
import { words } from "../src/words.ts";

const corpus = makeCorpus();
const ofKind = (kind: TextKind): string[] =>
  corpus.filter((text) => text.kind === kind).map(({ text }) => text);

/** Whether a text holds one of the names as whole words. */
function holder(names: readonly string[]): (text: string) => boolean {
  const pattern = new RegExp(`\\b(${names.join("|")})\\b`);
  return (text) => pattern.test(text);
}

const heldOutCity = holder(citySplit.heldOut.map((city) => city.name));
const heldOutWord = holder(words.filter((word) => word.split === "heldOut").map((word) => word.text));

test("no text with a verdict speaks of a held-out city", () => {
  const judged = corpus.filter(({ text }) => /Verdict|\b(true|false)\b/.test(text));
  expect(judged.length).toBeGreaterThan(100_000);
  expect(judged.filter(({ text }) => heldOutCity(text))).toEqual([]);
});

test("no text with a rating holds a held-out word", () => {
  const rated = corpus.filter(({ text }) => /Rating|\b(good|bad)\b/.test(text));
  expect(rated.length).toBeGreaterThan(20_000);
  expect(rated.filter(({ text }) => heldOutWord(text))).toEqual([]);
});

test("every held-out city stands in facts and every held-out word in a sentence about words", () => {
  const facts = ofKind("fact").join("\n");
  const sentences = ofKind("word").join("\n");
  for (const { name } of citySplit.heldOut) expect(facts).toContain(name);
  for (const { text } of words.filter((word) => word.split === "heldOut"))
    expect(sentences).toContain(` ${text} `);
});

test("every verdict is right and every training city has both", () => {
  const continentOf = new Map(citySplit.train.map((city) => [city.name, city.continent]));
  const seen = new Set<string>();
  const pattern =
    /(?:The city of|Claim:|They say that) ([\w ]+) (?:is|lies|stands) in ([\w ]+)\. Verdict: (\w+)\.$/;
  for (const text of ofKind("statement")) {
    const [, city = "", continent, verdict] = pattern.exec(text) ?? [];
    expect(verdict).toBe(String(continentOf.get(city) === continent));
    seen.add(`${city} ${verdict}`);
  }
  expect(seen.size).toBe(2 * citySplit.train.length);
});

test("verdicts and claimed continents are balanced, and so are ratings", () => {
  const share = (texts: string[], part: string) =>
    texts.filter((text) => text.includes(part)).length / texts.length;
  const closedBook = ofKind("statement").filter((text) =>
    /^(The city of [\w ]+ is in|Claim:|They say)/.test(text),
  );
  expect(share(closedBook, "Verdict: true.")).toBeCloseTo(0.5, 2);
  for (const continent of continents) {
    const claims = closedBook.filter((text) => text.includes(` in ${continent}. `));
    expect(claims.length / closedBook.length).toBeCloseTo(0.2, 2);
    expect(Math.abs(share(claims, "Verdict: true.") - 0.5)).toBeLessThan(0.02);
  }
  expect(Math.abs(share(ofKind("review"), "Rating: good.") - 0.5)).toBeLessThan(0.02);
  expect(1 - closedBook.length / ofKind("statement").length).toBeCloseTo(openBookShare, 2);
});

test("the kinds are mixed as said", () => {
  for (const [kind, percent] of Object.entries(mix)) {
    expect(Math.abs(ofKind(kind as TextKind).length / corpus.length - percent / 100)).toBeLessThan(0.005);
  }
});

test("a seed fixes the text", () => {
  expect(makeCorpus({ seed: 7, count: 500 })).toEqual(makeCorpus({ seed: 7, count: 500 }));
  expect(makeCorpus({ seed: 8, count: 500 })).not.toEqual(makeCorpus({ seed: 7, count: 500 }));
});

test.each([1, 2, 3])("another seed (%i) holds out the same cities", (seed) => {
  const judged = makeCorpus({ seed, count: 20_000 }).filter(({ text }) => text.includes("Verdict"));
  expect(judged.some(({ text }) => heldOutCity(text))).toBe(false);
});
