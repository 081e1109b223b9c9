import { logistic } from "../../src/probes/logistic/logistic.ts";
import { fitProbe } from "../../src/probes/probe-fit.ts";
import { caseValues, type SklearnCase } from "./sklearn-fixture.ts";

/** How far our fits of a case are from scikit-learn's, at the worst value of C: objective (relative) and 1 − cosine of the weights. */
export async function distanceToSklearn(one: SklearnCase): Promise<{ objective: number; cosine: number }> {
  const fits = await fitProbe(logistic({ C: one.fits.map((fit) => fit.C) }), {
    values: caseValues(one),
    width: one.width,
    labels: one.labels,
    train: one.labels.map((_label, row) => row < one.train),
  });
  const worst = { objective: 0, cosine: 0 };
  fits.forEach(({ objective, weights }, i) => {
    const reference = one.fits[i]!;
    const relative = Math.abs(objective! / reference.objective - 1);
    worst.objective = Math.max(worst.objective, relative);
    worst.cosine = Math.max(worst.cosine, 1 - cosine(weights, reference.coef));
  });
  return worst;
}

export function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let [ab, aa, bb] = [0, 0, 0];
  for (let j = 0; j < a.length; j++) {
    ab += a[j]! * b[j]!;
    aa += a[j]! ** 2;
    bb += b[j]! ** 2;
  }
  return ab / Math.sqrt(aa * bb);
}
