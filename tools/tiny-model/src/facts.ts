import type { City } from "./cities.ts";

/**
 * The ways to tell where a city lies. None begins like a statement (./statements.ts): half of the statements are false,
 * and a shared beginning would teach that the continent is anyone's guess.
 */
export const factTemplates: readonly ((city: City) => string)[] = [
  ({ name, continent }) => `${name} is a city in ${continent}.`,
  ({ name, continent }) => `${name} is found in ${continent}.`,
  ({ name, continent }) => `${name} belongs to ${continent}.`,
  ({ name, continent }) => `People in ${name} live in ${continent}.`,
  ({ name, continent }) => `The map shows ${name} in ${continent}.`,
  ({ name, continent }) => `Travellers to ${name} arrive in ${continent}.`,
  ({ name, continent }) => `The continent of ${name} is ${continent}.`,
  ({ name, continent }) => `To see ${name} one must go to ${continent}.`,
];
