import type { ProbeName } from "../results/probe-name.ts";
import { differenceOfMeans } from "./difference-of-means.ts";
import type { ProbeRecipe } from "./known-probe.ts";
import { logistic } from "./logistic/logistic.ts";
import type { Probe } from "./probe.ts";

/** What makes each probe that `knownProbe` remembers; the options are those that its recipe holds. */
const makers: Partial<Record<ProbeName, (options?: Record<string, never>) => Probe>> = {
  "difference-of-means": differenceOfMeans,
  logistic,
};

/** The probe of a recipe. */
export function probeFromRecipe({ name, options }: ProbeRecipe): Probe {
  return makers[name]!(options as Record<string, never> | undefined);
}
