import type { Split } from "./split.ts";

/** What a word says of the thing it is used on, and with it the rating of a review. */
export const ratings = ["good", "bad"] as const;

export type Rating = (typeof ratings)[number];

export interface Word {
  readonly text: string;
  readonly rating: Rating;
  readonly split: Split;
}

const lists: Readonly<Record<Rating, Readonly<Record<Split, string>>>> = {
  good: {
    train: `warm clever gripping charming bright lovely graceful witty moving elegant fresh tender lively superb polished
      generous honest joyful daring thoughtful splendid touching magical inspired delicate vivid sincere brilliant
      delightful sparkling masterly pleasant`,
    heldOut: "wonderful enchanting admirable radiant memorable exquisite uplifting stunning",
  },
  bad: {
    train: `dull clumsy boring lazy bleak tedious shallow noisy stale awkward feeble dreary careless tiresome hollow
      sloppy bland muddled pointless crude grim messy forced lifeless annoying shabby gloomy pompous weak flat
      confused silly`,
    heldOut: "dreadful mediocre irritating tasteless dismal wretched insipid appalling",
  },
};

/**
 * Words of praise and blame, equally many of each. Every word stands in a sentence that says which it is; only "train"
 * words stand in reviews.
 */
export const words: readonly Word[] = ratings.flatMap((rating) =>
  (["train", "heldOut"] as const).flatMap((split) =>
    lists[rating][split].split(/\s+/).map((text) => ({ text, rating, split })),
  ),
);
