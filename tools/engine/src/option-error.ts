import { ResiduaError } from "@residua/client";

/** An argument that cannot be: `invalid_option`. */
export const optionError = (field: string, given: unknown, allowed: string): ResiduaError =>
  new ResiduaError("invalid_option", `${field}: ${shown(given)} given; allowed: ${allowed}`);

/** Lists and texts by their length: texts may be secrets, and lists long. */
function shown(given: unknown): string {
  if (typeof given === "string")
    return given === "" ? "an empty text" : `a text of ${given.length} characters`;
  if (typeof given === "function") return "a function";
  if (typeof given !== "object" || given === null) return String(given);
  const { length } = given as { length?: unknown };
  if (typeof length === "number") return `a list of ${length}`;
  const kind = Object.getPrototypeOf(given) === null ? "Object" : given.constructor.name;
  return kind === "Object" ? "an object" : `a ${kind}`;
}
