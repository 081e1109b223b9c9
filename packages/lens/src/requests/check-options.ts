import { checkFields, InvalidRequestError } from "@residua/client";
import * as z from "zod";
import { type Kind, signal } from "../arguments/kinds.ts";
import { LensOptionError } from "../profiles/lens-option-error.ts";

/** Options of every method that sends. */
export const lensOptionKinds = { signal };

/**
 * Refuses options that are not known, by name and with the nearest known one, and values that cannot be. `undefined` counts
 * as not given. Throws `invalid_option`.
 */
export function checkOptions<T extends object>(options: T, kinds: Readonly<Record<string, Kind>>): T {
  const schemas = Object.entries(kinds).map(([name, kind]) => [
    name,
    z.custom((value) => kind.fault(value, name) === undefined).optional(),
  ]);
  try {
    checkFields(options, {
      schema: z.looseObject(Object.fromEntries(schemas) as z.ZodRawShape),
      fields: kinds,
    });
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
export const checkLensOptions = <T extends object>(options: T): T => checkOptions(options, lensOptionKinds);
