import { cities, continents, type City } from "./cities.ts";
import { randomSource } from "./random-source.ts";
import { corpusSeed, type Split } from "./split.ts";

const heldOutPerContinent = 20;

/**
 * The split belongs to the trained model, so no option changes it: of each continent's cities, 60 are "train" and 20
 * "heldOut", drawn with `corpusSeed`. Facts are told about both; verdicts only about "train".
 */
export const citySplit: Readonly<Record<Split, readonly City[]>> = splitCities();

function splitCities(): Record<Split, City[]> {
  const random = randomSource(corpusSeed);
  const split: Record<Split, City[]> = { train: [], heldOut: [] };
  for (const continent of continents) {
    const shuffled = random.shuffled(cities.filter((city) => city.continent === continent));
    split.heldOut.push(...shuffled.slice(0, heldOutPerContinent));
    split.train.push(...shuffled.slice(heldOutPerContinent));
  }
  return split;
}
