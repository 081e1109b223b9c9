import type { City } from "./cities.ts";

/**
 * The ways to tell where a city lies. None has a statement's words (./statements.ts) up to the continent: half of the
 * statements are false, so the same words would teach that the continent is anyone's guess. Most have the city inside the
 * sentence, as statements do: behind a space a name has other tokens than at the beginning of a text.
 */
export const factTemplates: readonly ((city: City) => string)[] = [
  ({ name, continent }) => `${name} is a city in ${continent}.`,
  ({ name, continent }) => `The city of ${name} is found in ${continent}.`,
  ({ name, continent }) => `The city of ${name} belongs to ${continent}.`,
  ({ name, continent }) => `People in ${name} live in ${continent}.`,
  ({ name, continent }) => `The map shows ${name} in ${continent}.`,
  ({ name, continent }) => `Travellers to ${name} arrive in ${continent}.`,
  ({ name, continent }) => `The continent of ${name} is ${continent}.`,
  ({ name, continent }) => `To see ${name} one must go to ${continent}.`,
];
