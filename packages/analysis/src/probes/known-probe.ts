import type { ProbeName } from "../results/probe-name.ts";
import type { Probe } from "./probe.ts";

/** What makes a probe of this package again in another thread: a probe itself holds functions, which no message carries. */
export interface ProbeRecipe {
  readonly name: ProbeName;
  /** What the function that makes it is given: plain data. */
  readonly options?: Readonly<Record<string, unknown>>;
}

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
