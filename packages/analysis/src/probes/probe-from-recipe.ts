import { differenceOfMeans } from "./difference-of-means.ts";
import type { ProbeRecipe } from "./known-probe.ts";
import { logistic } from "./logistic/logistic.ts";
import type { Probe } from "./probe.ts";

/** The probe of a recipe. */
export function probeFromRecipe(recipe: ProbeRecipe): Probe {
  if (recipe.name !== "logistic") return differenceOfMeans();
  const { name: _, ...settings } = recipe;
  return logistic(settings);
}
