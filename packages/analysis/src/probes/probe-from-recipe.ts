import { differenceOfMeans } from "./difference-of-means.ts";
import type { ProbeRecipe } from "./known-probe.ts";
import { logistic } from "./logistic.ts";
import type { Probe } from "./probe.ts";

/** The probe of a recipe. */
export function probeFromRecipe(recipe: ProbeRecipe): Probe {
  return recipe.name === "logistic" ? logistic({ C: recipe.C }) : differenceOfMeans();
}
