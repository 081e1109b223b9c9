import { continuedFraction } from "./continued-fraction.ts";
import { invert } from "./invert.ts";

/** Distribution function of the standard normal: a power series near 0, a continued fraction in the tails. */
export function normalCdf(z: number): number {
  const size = Math.abs(z);
  const tail = size < 3 ? 0.5 - density(size) * oddSeries(size) : density(size) / tailFraction(size);
  return z < 0 ? tail : 1 - tail;
}

/** Quantile of the standard normal, for p between 0 and 1. */
export function normalQuantile(p: number): number {
  if (p === 0.5) return 0;
  // By the lower tail, where no digits are lost.
  const size = -invert(normalCdf, Math.min(p, 1 - p), -40, 0);
  return p < 0.5 ? -size : size;
}

function density(z: number): number {
  return Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
}

/** z + z³/3 + z⁵/15 + … (Abramowitz and Stegun 26.2.11). */
function oddSeries(z: number): number {
  let term = z;
  let sum = z;
  for (let k = 1; term > 1e-18 * sum; k++) {
    term *= (z * z) / (2 * k + 1);
    sum += term;
  }
  return sum;
}

/** z + 1/(z + 2/(z + 3/(z + …))) (Abramowitz and Stegun 26.2.14). */
function tailFraction(z: number): number {
  return continuedFraction(z, (step) => [step, z]);
}
