import type { Split } from "./split.ts";
import { ratings, words, type Rating, type Word } from "./words.ts";

/** The two ratings of a review, each one token after `Rating:`. */
export const ratingChoices = [" good", " bad"] as const;

/** A review that ends where its rating would begin. */
export interface Review {
  readonly prompt: string;
  readonly rating: Rating;
  /** The two words, of one rating and one split, that the review is made of. */
  readonly words: readonly [string, string];
  readonly split: Split;
}

export const reviewedThings = [
  "film",
  "book",
  "play",
  "song",
  "show",
  "game",
  "story",
  "poem",
  "concert",
  "novel",
  "speech",
  "drawing",
] as const;

export const reviewAdverbs = ["quite", "very", "rather", "truly", "always", "really"] as const;

export function reviewPrompt(thing: string, adverb: string, first: string, second: string): string {
  return `The ${thing} was ${adverb} ${first} and ${second}. Rating:`;
}

/**
 * For each rating, one review of every ordered pair of that rating's words in a split: 1984 in all for "train", 112 for
 * "heldOut". Things and adverbs take turns in the same way for both ratings, so they tell nothing.
 */
export function reviewsWith(options: { readonly split: Split }): Review[] {
  const { split } = options;
  return ratings.flatMap((rating) => {
    const own = words.filter((word) => word.rating === rating && word.split === split);
    return orderedPairs(own).map(([first, second], index): Review => {
      const thing = reviewedThings[index % reviewedThings.length]!;
      const adverb = reviewAdverbs[Math.floor(index / reviewedThings.length) % reviewAdverbs.length]!;
      return {
        prompt: reviewPrompt(thing, adverb, first.text, second.text),
        rating,
        words: [first.text, second.text],
        split,
      };
    });
  });
}

function orderedPairs(own: readonly Word[]): [Word, Word][] {
  return own.flatMap((first) =>
    own.filter((word) => word !== first).map((second): [Word, Word] => [first, second]),
  );
}
