import { z } from "zod";
import { checkOptions } from "../options/check-options.ts";

/**
 * A result as its schema reads it. A document of another kind is told as such, not by each field that it lacks. Throws InvalidRequestError
 * with what was given and what is allowed.
 */
export function checkResult<S extends z.ZodObject<{ kind: z.ZodType }>>(
  schema: S,
  result: unknown,
  what: string,
): z.infer<S> {
  checkOptions(z.looseObject({ kind: schema.shape.kind }), result, what, "result");
  return checkOptions(schema, result, what, "result");
}
