import { expect, test } from "vitest";
import { cities, continents } from "../src/cities.ts";
import { makeCorpus } from "../src/corpus.ts";
import { neutralTexts } from "../src/neutral-texts.ts";
import { words } from "../src/words.ts";

const sentencesOf = (texts: readonly string[]) => texts.flatMap((text) => text.split(/(?<=\.) /));

test("no neutral sentence was in the training text", () => {
  const trained = new Set(
    sentencesOf(
      makeCorpus()
        .filter(({ kind }) => kind === "neutral")
        .map(({ text }) => text),
    ),
  );
  const texts = neutralTexts({ count: 500 });
  expect(texts).toHaveLength(500);
  expect(trained.size).toBeGreaterThan(4000);
  expect(sentencesOf(texts).filter((sentence) => trained.has(sentence))).toEqual([]);
});

test("neutral text names no city, no continent, no praise, no blame, no answer", () => {
  const telling = [...cities.map((city) => city.name), ...continents, ...words.map((word) => word.text)];
  const pattern = new RegExp(`\\b(${[...telling, "true", "false", "good", "bad"].join("|")})\\b`);
  expect(neutralTexts({ count: 2000 }).filter((text) => pattern.test(text))).toEqual([]);
});

test("a seed fixes the texts", () => {
  expect(neutralTexts({ count: 20, seed: 3 })).toEqual(neutralTexts({ count: 20, seed: 3 }));
  expect(neutralTexts({ count: 20, seed: 4 })).not.toEqual(neutralTexts({ count: 20, seed: 3 }));
});
