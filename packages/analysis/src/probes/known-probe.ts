import type { LogisticSettings } from "./logistic/logistic-options.ts";
import type { Probe } from "./probe.ts";

/** What makes a probe of this package again in another thread: a probe itself holds functions, which no message carries. */
export type ProbeRecipe =
  { readonly name: "difference-of-means" } | ({ readonly name: "logistic" } & LogisticSettings);

const recipes = new WeakMap<Probe, ProbeRecipe>();

/** Remembers the recipe of a probe. */
export function knownProbe(probe: Probe, recipe: ProbeRecipe): Probe {
  recipes.set(probe, recipe);
  return probe;
}

/** Undefined for a probe of the caller's own. */
export function recipeOf(probe: Probe): ProbeRecipe | undefined {
  return recipes.get(probe);
}
