import { checkFields, InvalidRequestError } from "@residua/client";
import * as z from "zod";
import { LensOptionError } from "../profiles/lens-option-error.ts";

/** What an option may be, in words and to check. */
export interface OptionRule {
  allowed: string;
  schema: z.ZodType;
}

export const flag: OptionRule = { allowed: "true or false", schema: z.boolean() };
export const text: OptionRule = { allowed: "a text", schema: z.string() };
export const callable: OptionRule = {
  allowed: "a function",
  schema: z.custom((value) => typeof value === "function"),
};
const signal: OptionRule = { allowed: "an AbortSignal", schema: z.instanceof(AbortSignal) };

/** Options of every method that sends. */
export const lensOptionRules = { signal };

/**
 * Refuses options that are not known, by name and with the nearest known one, and values that cannot be. `undefined` counts
 * as not given. Throws `invalid_option`.
 */
export function checkOptions<T extends object>(options: T, rules: Readonly<Record<string, OptionRule>>): T {
  const optional = Object.entries(rules).map(([name, { schema }]) => [name, schema.optional()] as const);
  try {
    checkFields(options, { schema: z.looseObject(Object.fromEntries(optional)), fields: rules });
  } catch (error) {
    if (!(error instanceof InvalidRequestError)) throw error;
    const words = error.issues.map(({ field, given, allowed, hint }) => {
      if (field === "(all)") return `options: ${given} given; allowed: an object`;
      if (given !== "not a known field") return `${field}: ${given} given; allowed: ${allowed}`;
      return `${field} is not an option${hint === undefined ? "" : ` (${hint})`}; known: ${allowed}`;
    });
    throw new LensOptionError(words.join("; "));
  }
  return options;
}

/** Options of a method that sends. Throws `invalid_option`. */
export const checkLensOptions = <T extends object>(options: T): T => checkOptions(options, lensOptionRules);
