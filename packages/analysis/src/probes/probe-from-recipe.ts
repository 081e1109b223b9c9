import type { ProbeName } from "../results/probe-name.ts";
import { differenceOfMeans } from "./difference-of-means.ts";
import { elasticNet } from "./elastic/elastic-net.ts";
import type { ProbeRecipe } from "./known-probe.ts";
import { kSparse } from "./linear/k-sparse.ts";
import { lda, mahalanobis } from "./linear/lda.ts";
import { linearRegression } from "./linear/linear-regression.ts";
import { massMeanIid } from "./linear/mass-mean-iid.ts";
import { nearestCentroid } from "./linear/nearest-centroid.ts";
import { pca } from "./linear/pca.ts";
import { ridge, ridgeClassifier } from "./linear/ridge.ts";
import { logistic } from "./logistic/logistic.ts";
import type { Probe } from "./probe.ts";
import { linearSvm } from "./svm/linear-svm.ts";

/** What makes each probe that `knownProbe` remembers; the options are those that its recipe holds. */
const makers: Partial<Record<ProbeName, (options?: Record<string, never>) => Probe>> = {
  "difference-of-means": differenceOfMeans,
  logistic,
  ridge,
  "ridge-classifier": ridgeClassifier,
  "linear-regression": linearRegression,
  lda,
  mahalanobis,
  "nearest-centroid": nearestCentroid,
  "mass-mean-iid": massMeanIid,
  pca,
  "k-sparse": kSparse,
  "linear-svm": linearSvm,
  "elastic-net": elasticNet,
};

/** The probe of a recipe. */
export function probeFromRecipe({ name, options }: ProbeRecipe): Probe {
  return makers[name]!(options as Record<string, never> | undefined);
}
