import { cities } from "./cities.ts";
import { citySplit } from "./city-split.ts";
import { factTemplates } from "./facts.ts";
import { neutralText } from "./neutral.ts";
import { randomSource, type RandomSource } from "./random-source.ts";
import { reviewAdverbs, reviewedThings, reviewPrompt } from "./reviews.ts";
import { corpusSeed } from "./split.ts";
import { statementTemplates, wrongContinents } from "./statements.ts";
import { wordTemplates } from "./word-sentences.ts";
import { ratings, words } from "./words.ts";

/** A training text: the model reads it between a begin and an end token. */
export interface CorpusText {
  readonly kind: TextKind;
  readonly text: string;
}

export type TextKind = "fact" | "statement" | "word" | "review" | "neutral";

/** The share of each kind among the texts, in percent. */
export const mix: Readonly<Record<TextKind, number>> = {
  fact: 35,
  statement: 45,
  word: 8,
  review: 8,
  neutral: 4,
};

/**
 * The share of statements that stand behind the fact they are about. Comparing two continents that are both in sight is
 * learnt first; without it the comparison with a remembered one was never learnt.
 */
export const openBookShare = 0.35;

const makers: Readonly<Record<TextKind, (random: RandomSource) => string>> = {
  fact: (random) => random.pick(factTemplates)(random.pick(cities)),

  statement: (random) => {
    const city = random.pick(citySplit.train);
    const truth = random.next() < 0.5;
    const claimed = truth ? city.continent : random.pick(wrongContinents(city));
    const stated = `${random.pick(statementTemplates)(city.name, claimed)} ${truth}.`;
    return random.next() < openBookShare ? `${random.pick(factTemplates)(city)} ${stated}` : stated;
  },

  word: (random) => random.pick(wordTemplates)(random.pick(words)),

  review: (random) => {
    const rating = random.pick(ratings);
    const own = words.filter((word) => word.rating === rating && word.split === "train");
    const first = random.pick(own);
    const second = random.pick(own.filter((word) => word !== first));
    const prompt = reviewPrompt(
      random.pick(reviewedThings),
      random.pick(reviewAdverbs),
      first.text,
      second.text,
    );
    return `${prompt} ${rating}.`;
  },

  neutral: (random) => neutralText("train", random),
};

/** The training text: `count` texts of the five kinds, mixed as `mix` says. The same seed makes the same text. */
export function makeCorpus(options: { readonly seed?: number; readonly count?: number } = {}): CorpusText[] {
  const { seed = corpusSeed, count = 400_000 } = options;
  const random = randomSource(seed);
  const kinds = (Object.keys(mix) as TextKind[]).flatMap((kind) =>
    Array.from({ length: mix[kind] }, () => kind),
  );
  return Array.from({ length: count }, () => {
    const kind = random.pick(kinds);
    return { kind, text: makers[kind](random) };
  });
}
