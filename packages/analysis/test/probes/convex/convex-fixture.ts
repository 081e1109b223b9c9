import { readFileSync } from "node:fs";
import { caseValues, sklearnFixture } from "../sklearn-fixture.ts";

interface Reference {
  C: number;
  objective: number;
  coef: number[];
  intercept: number;
}

interface ConvexCase {
  name: string;
  svm: Reference[];
  elastic: (Reference & { ratio: number })[];
  /** Class of each training row. */
  three: number[];
  multinomial: { C: number; objective: number; coef: number[][]; probability: number[][] }[];
}

/** Made by fixtures/convex_probes.py. */
const { cases } = JSON.parse(
  readFileSync(new URL("../../../fixtures/convex-probes.json", import.meta.url), "utf8"),
) as { cases: ConvexCase[] };

/** Each case with its rows, as `fitProbe` takes them, and the standard deviations that turn raw weights into standardised ones. */
export const convexCases = cases.map((one, i) => {
  const rows = sklearnFixture.cases[i]!;
  const values = caseValues(rows);
  const train = rows.labels.map((_label, row) => row < rows.train);
  const deviation = Array.from({ length: rows.width }, (_, j) => {
    const column = Array.from({ length: rows.train }, (_, row) => values[row * rows.width + j]!);
    const mean = column.reduce((sum, value) => sum + value, 0) / rows.train;
    return Math.sqrt(column.reduce((sum, value) => sum + (value - mean) ** 2, 0) / rows.train);
  });
  return {
    ...one,
    count: rows.train,
    data: { values, width: rows.width, labels: rows.labels, train },
    deviation,
  };
});
