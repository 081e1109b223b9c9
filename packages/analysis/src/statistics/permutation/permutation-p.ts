import { z } from "zod";
import { checkOptions } from "../../options/check-options.ts";
import { arraySchema } from "../checked-arrays.ts";

export interface PermutationP {
  /** Null when the statistic itself is undefined, or every shuffle. */
  p: number | null;
  /** Shuffles in which the statistic is defined. */
  shuffles: number;
  /** Of them, as large as the observed one or larger. */
  exceeding: number;
  undefinedShuffles: number;
  reason?: string;
}

/**
 * p of a statistic that is large where labels matter: (1 + shuffles that reach it) / (1 + shuffles), the observed labels being one
 * of their own arrangements (Phipson and Smyth 2010), so it is never 0. `shuffled` holds the statistic with shuffled labels
 * (`shuffleLabels`), null where undefined: those are counted and left out.
 */
export function permutationP(options: {
  observed: number | null;
  shuffled: ArrayLike<number | null>;
}): PermutationP {
  checkOptions(pSchema, options, "permutationP");
  const { observed } = options;
  const defined = definedValues(options.shuffled);
  const shuffles = defined.length;
  const undefinedShuffles = options.shuffled.length - shuffles;
  if (observed === null || shuffles === 0) {
    const reason = observed === null ? "the statistic is undefined" : "no shuffle has a defined statistic";
    return { p: null, shuffles, exceeding: 0, undefinedShuffles, reason };
  }
  const exceeding = defined.filter((value) => reaches(value, observed)).length;
  return { p: (1 + exceeding) / (1 + shuffles), shuffles, exceeding, undefinedShuffles };
}

function definedValues(values: ArrayLike<number | null>): number[] {
  return Array.from(values).filter((value) => value !== null);
}

/** As large or larger; what differs by rounding alone is as large. */
export function reaches(value: number, observed: number): boolean {
  return value >= observed - 1e-12 * Math.abs(observed);
}

const finite = (values: ArrayLike<number | null>) =>
  Array.from(values).every((value) => value === null || Number.isFinite(value));

const pSchema = z.strictObject({
  observed: z.number().nullable(),
  shuffled: arraySchema<number | null>("numbers").refine(finite, "finite numbers, null where undefined"),
});
