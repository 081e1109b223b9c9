import { z } from "zod";
import { checkOptions } from "../../options/check-options.ts";
import { normalQuantile } from "../distributions/normal.ts";
import { studentQuantile } from "../distributions/student.ts";
import { arraySchema } from "../checked-arrays.ts";
import { quantile, sortedNumbers } from "./interval.ts";

const powerFields = {
  level: z.number().gt(0).lt(1).default(0.95),
  power: z.number().gt(0).lt(1).default(0.8),
};

/**
 * The difference that a two-sided test at 1 − `level` finds with probability `power` (defaults 0.95 and 0.8):
 * (t₁₋ₐ⸝₂ + t_power) · SE, with G − 1 degrees of freedom (Bloom 1995). `standardError` is that of groups (`delongDifference`,
 * `metricDifference`), `groups` their number. A measured difference below it may be real and missed: it is no proof of none.
 */
export function smallestDetectableDifference(options: {
  standardError: number;
  groups: number;
  level?: number;
  power?: number;
}): number {
  const { standardError, groups, level, power } = checkOptions(
    errorSchema,
    options,
    "smallestDetectableDifference",
  );
  const freedom = groups - 1;
  return (studentQuantile((1 + level) / 2, freedom) + studentQuantile(power, freedom)) * standardError;
}

const errorSchema = z.strictObject({
  standardError: z.number().min(0),
  groups: z.int().min(2),
  ...powerFields,
});

/**
 * The same from a permutation null: how far above the null's mean a value of the same spread must lie to exceed the null's `level` quantile
 * (one-sided) with probability `power`: q_level − mean + z_power · SD. Null below 20 shuffles, whose 95 % quantile is their largest.
 */
export function smallestDetectableFromNull(options: {
  shuffled: ArrayLike<number>;
  level?: number;
  power?: number;
}): number | null {
  const { level, power } = checkOptions(nullSchema, options, "smallestDetectableFromNull");
  const sorted = sortedNumbers(options.shuffled);
  const n = sorted.length;
  if (n < 20) return null;
  const mean = sorted.reduce((sum, value) => sum + value, 0) / n;
  const deviation = Math.sqrt(sorted.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1));
  return Math.max(0, quantile(sorted, level) - mean + normalQuantile(power) * deviation);
}

const nullSchema = z.strictObject({ shuffled: arraySchema<number>("numbers"), ...powerFields });
