import { expect, test } from "vitest";
import { betaQuantile } from "../../../src/statistics/distributions/beta.ts";
import { normalCdf, normalQuantile } from "../../../src/statistics/distributions/normal.ts";
import { studentQuantile } from "../../../src/statistics/distributions/student.ts";
import { fixture } from "../statistics-fixture.ts";

const { normal, student, beta } = fixture.distributions;

/** Within 1e-11 of SciPy, relative. */
function near(found: number, expected: number): void {
  expect(Math.abs(found - expected)).toBeLessThanOrEqual(1e-11 * Math.abs(expected));
}

test("the normal distribution equals SciPy's, tails included", () => {
  normal.z.forEach((z, i) => near(normalCdf(z), normal.cdf[i]!));
  normal.p.forEach((p, i) => near(normalQuantile(p), normal.quantile[i]!));
});

test("quantiles of Student's t equal SciPy's", () => {
  for (const { p, df, quantile } of student) near(studentQuantile(p, df), quantile);
});

test("quantiles of the beta distribution equal SciPy's", () => {
  for (const { p, a, b, quantile } of beta) near(betaQuantile(p, a, b), quantile);
});
