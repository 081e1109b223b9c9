import { z } from "zod";
import { checkOptions } from "../../options/check-options.ts";

/** C of a probe: a finite number above 0, or several. Without a penalty, classes that separate have no solution. */
export const strengthSchema = z.union(
  [z.number().positive(), z.array(z.number().positive()).min(1)],
  "a finite number above 0, or several (a huge one stands for no penalty)",
);

/** The values of C, ascending, each once; 1 when none is given. Throws InvalidRequestError. */
export function strengthPath(C: number | readonly number[] | undefined, what: string): number[] {
  const given = checkOptions(strengthSchema.optional(), C, what, "C") ?? 1;
  return [...new Set(typeof given === "number" ? [given] : given)].sort((a, b) => a - b);
}

/** What lies between two strengths, ten times the one before each: a fit that starts from its neighbour's end takes few steps. */
export function between(before: number, C: number): number[] {
  const steps = Math.ceil(Math.log10(C / before) - 1e-9) - 1;
  return Array.from({ length: Math.max(0, steps) }, (_, i) => before * 10 ** (i + 1));
}
