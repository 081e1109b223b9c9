import { ResiduaError } from "@residua/client";

/** An argument of one of `lens.local`'s methods that cannot be. */
export const optionError = (field: string, given: unknown, allowed: string): ResiduaError =>
  new ResiduaError("invalid_option", `${field}: ${shown(given)} given; allowed: ${allowed}`);

/** Lists by their length: texts may be secrets, and lists long. */
function shown(given: unknown): string {
  if (typeof given === "object" && given !== null) {
    const { length } = given as { length?: unknown };
    return typeof length === "number" ? `a list of ${length}` : "an object";
  }
  return typeof given === "string" ? `a text of ${given.length} characters` : String(given);
}
