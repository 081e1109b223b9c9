import { differenceOfMeans } from "../probes/difference-of-means.ts";
import { kSparse } from "../probes/linear/k-sparse.ts";
import { ridge, ridgeClassifier } from "../probes/linear/ridge.ts";
import { logistic } from "../probes/logistic/logistic.ts";
import type { Probe } from "../probes/probe.ts";
import type { ProbeTask } from "../results/trained-probe.ts";

/** The probes of a sweep that names none. */
export function defaultProbes(task: ProbeTask): readonly Probe[] {
  if (task === "number") return [ridge({ lambda: [1e-2, 1e-1, 1, 1e1, 1e2, 1e3, 1e4], standardise: true })];
  return [differenceOfMeans(), logistic({ C: [1e-4, 1e-3, 1e-2, 1e-1, 1, 1e1, 1e2] })];
}

/** The probe of lengths: few features of very different sizes. */
export function lengthProbe(task: ProbeTask): Probe {
  if (task === "number") return ridge({ lambda: [1, 1e1, 1e2, 1e3], standardise: true });
  return logistic({ C: [1e-2, 1e-1, 1] });
}

/**
 * The probes of a bag of tokens, among which the inner folds choose. Ridge reads what many tokens say together, on the counts as they are:
 * standardised, each of many rare tokens would be as large as the one that tells the label. The sparse ones read one token, or a few, that tell
 * the label among thousands that do not.
 */
export function bagProbes(task: ProbeTask, width: number): readonly Probe[] {
  const lambda = [1e-1, 1, 1e1, 1e2];
  if (task === "number") return [ridge({ lambda })];
  const sparse = [1, 4, 16].filter((k) => k <= width).map((k) => kSparse({ k, C: 1 }));
  return [ridgeClassifier({ lambda }), ...sparse];
}
