import { differenceOfMeans } from "../probes/difference-of-means.ts";
import { ridge } from "../probes/linear/ridge.ts";
import { logistic } from "../probes/logistic/logistic.ts";
import type { Probe } from "../probes/probe.ts";
import type { ProbeTask } from "../results/trained-probe.ts";

/** The probes of a sweep that names none. */
export function defaultProbes(task: ProbeTask): readonly Probe[] {
  if (task === "number") return [ridge({ lambda: [1e-2, 1e-1, 1, 1e1, 1e2, 1e3, 1e4], standardise: true })];
  return [differenceOfMeans(), logistic({ C: [1e-4, 1e-3, 1e-2, 1e-1, 1, 1e1, 1e2] })];
}

/** The probe of a control's few features: of counts and lengths. */
export function controlProbe(task: ProbeTask): Probe {
  if (task === "number") return ridge({ lambda: [1, 1e1, 1e2, 1e3], standardise: true });
  return logistic({ C: [1e-2, 1e-1, 1] });
}
