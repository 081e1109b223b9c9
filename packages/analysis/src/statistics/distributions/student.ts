import { betaCdf } from "./beta.ts";
import { invert } from "./invert.ts";
import { normalQuantile } from "./normal.ts";

/** Distribution function of Student's t with `df` degrees of freedom. */
export function studentCdf(t: number, df: number): number {
  const tail = betaCdf(df / (df + t * t), df / 2, 0.5) / 2;
  return t < 0 ? tail : 1 - tail;
}

/** Quantile of Student's t; the normal's when `df` is infinite. */
export function studentQuantile(p: number, df: number): number {
  if (df === Infinity) return normalQuantile(p);
  if (p === 0.5) return 0;
  // By the lower tail, where no digits are lost.
  const tail = Math.min(p, 1 - p);
  let low = -1;
  while (studentCdf(low, df) > tail) low *= 2;
  const t = invert((at) => studentCdf(at, df), tail, low, 0);
  return p < 0.5 ? t : -t;
}
