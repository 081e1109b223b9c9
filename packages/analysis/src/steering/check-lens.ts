import { z } from "zod";
import { checkOptions } from "../options/check-options.ts";

/** Throws InvalidRequestError unless the lens has this method. */
export function checkLens(lens: unknown, method: "generate" | "capture", what: string): void {
  const schema = z.custom(
    (value) => typeof (Object(value) as Record<string, unknown>)[method] === "function",
    `a lens with ${method}()`,
  );
  checkOptions(schema, lens, what, "lens");
}
