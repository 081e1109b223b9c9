import type { Rating, Word } from "./words.ts";

const meanings: Readonly<Record<Rating, string>> = { good: "praise", bad: "blame" };

/** The ways to say whether a word praises or blames, without the words of a rating. */
export const wordTemplates: readonly ((word: Word) => string)[] = [
  ({ text, rating }) => `Calling something ${text} is ${meanings[rating]}.`,
  ({ text, rating }) => `The word ${text} is a word of ${meanings[rating]}.`,
  ({ text, rating }) => `To say that a thing is ${text} is to ${meanings[rating]} it.`,
];
