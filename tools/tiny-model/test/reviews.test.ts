import { expect, test } from "vitest";
import { reviewsWith } from "../src/reviews.ts";
import { ratings, words } from "../src/words.ts";

test("words are unique, and each rating has as many of each split as the other", () => {
  expect(new Set(words.map((word) => word.text)).size).toBe(words.length);
  for (const rating of ratings) {
    const count = (split: string) =>
      words.filter((word) => word.rating === rating && word.split === split).length;
    expect([count("train"), count("heldOut")]).toEqual([32, 8]);
  }
});

test.each([
  ["train", 1984],
  ["heldOut", 112],
] as const)("reviews of %s words: two different words of one rating and split", (split, count) => {
  const reviews = reviewsWith({ split });
  const wordOf = new Map(words.map((word) => [word.text, word]));
  for (const review of reviews) {
    expect(review.words[0]).not.toBe(review.words[1]);
    for (const text of review.words) {
      expect(wordOf.get(text)).toMatchObject({ rating: review.rating, split });
      expect(review.prompt).toContain(` ${text}`);
    }
    expect(review.prompt.endsWith(". Rating:")).toBe(true);
  }
  for (const rating of ratings)
    expect(reviews.filter((review) => review.rating === rating)).toHaveLength(count / 2);
});

test("the thing and the adverb tell nothing of the rating", () => {
  const frames = (rating: string) =>
    reviewsWith({ split: "heldOut" })
      .filter((review) => review.rating === rating)
      .map(({ prompt, words: [first, second] }) => prompt.replace(`${first} and ${second}`, "…"));
  expect(frames("good")).toEqual(frames("bad"));
});
