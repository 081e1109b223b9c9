import { citySplit } from "./city-split.ts";
import { continents, type City, type Continent } from "./cities.ts";
import { randomSource } from "./random-source.ts";
import { corpusSeed, type Split } from "./split.ts";

/** The two answers to a statement, each one token after `Verdict:`. */
export const verdictChoices = [" true", " false"] as const;

/** A statement that ends where its verdict would begin. */
export interface Statement {
  readonly prompt: string;
  readonly city: string;
  /** The continent that the statement claims, right or wrong. */
  readonly continent: Continent;
  readonly truth: boolean;
  /** What a split by group must keep together: the city, as both its statements speak of it. */
  readonly group: string;
  readonly split: Split;
}

/** The ways to state where a city lies and ask for a verdict. Experiments use the first. */
export const statementTemplates: readonly ((city: string, continent: Continent) => string)[] = [
  (city, continent) => `The city of ${city} is in ${continent}. Verdict:`,
  (city, continent) => `Claim: ${city} lies in ${continent}. Verdict:`,
  (city, continent) => `They say that ${city} stands in ${continent}. Verdict:`,
];

export function wrongContinents(city: City): Continent[] {
  return continents.filter((continent) => continent !== city.continent);
}

/**
 * One true and one false statement about each city of a split, in a shuffled order: 600 for "train", 200 for "heldOut".
 * Neither part tells the truth alone: every city is spoken of once truly and once falsely, and every continent is claimed
 * as often truly as falsely, since within a continent's cities each of the four others is claimed falsely of a quarter.
 */
export function statementsAbout(options: { readonly split: Split; readonly seed?: number }): Statement[] {
  const { split, seed = corpusSeed } = options;
  const random = randomSource(seed);
  const statements = continents.flatMap((continent) => {
    const own = random.shuffled(citySplit[split].filter((city) => city.continent === continent));
    return own.flatMap((city, index) => {
      const wrong = wrongContinents(city);
      return [statement(city, continent, split), statement(city, wrong[index % wrong.length]!, split)];
    });
  });
  return random.shuffled(statements);
}

function statement(city: City, continent: Continent, split: Split): Statement {
  return {
    prompt: statementTemplates[0]!(city.name, continent),
    city: city.name,
    continent,
    truth: city.continent === continent,
    group: city.name,
    split,
  };
}
