import { continuedFraction } from "./continued-fraction.ts";
import { logGamma } from "./gamma.ts";
import { invert } from "./invert.ts";

/** Distribution function of Beta(a, b): the regularised incomplete beta function I_x(a, b), by its continued fraction. */
export function betaCdf(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x));
  // The fraction converges fast on one side of the mean; the other is its mirror image.
  return x < (a + 1) / (a + b + 2)
    ? (front * betaFraction(x, a, b)) / a
    : 1 - (front * betaFraction(1 - x, b, a)) / b;
}

/** Quantile of Beta(a, b). */
export function betaQuantile(p: number, a: number, b: number): number {
  return invert((x) => betaCdf(x, a, b), p, 0, 1);
}

/** NIST DLMF 8.17.22. */
function betaFraction(x: number, a: number, b: number): number {
  return (
    1 /
    continuedFraction(1, (step) => {
      const m = step >> 1;
      const numerator =
        step % 2 === 0
          ? (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
          : (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
      return [numerator, 1];
    })
  );
}
