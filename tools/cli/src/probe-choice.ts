import { differenceOfMeans, lda, logistic, ridgeClassifier, type Probe } from "@residua/analysis";
import type { ProbeChoice } from "./probe-choices.ts";

const probes: Readonly<Record<ProbeChoice, (strengths?: readonly number[]) => Probe>> = {
  logistic: (C = [1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100]) => logistic({ C: [...C] }),
  ridge: (lambda = [1e-2, 1, 100, 1e4, 1e6]) => ridgeClassifier({ lambda: [...lambda] }),
  "difference-of-means": () => differenceOfMeans(),
  lda: () => lda(),
};

/** A probe by its name: at one strength (C of logistic regression, λ of ridge), or at those among which folds choose. */
export function probeOf(name: ProbeChoice, strength?: number): Probe {
  return probes[name](strength === undefined ? undefined : [strength]);
}
