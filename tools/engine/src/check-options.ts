import { ResiduaError } from "@residua/client";
import { optionError } from "./option-error.ts";

/** What an option may be, in words and as a check. */
export type OptionRule = readonly [allowed: string, accepts: (value: unknown) => boolean];

export const flagRule: OptionRule = ["true or false", (value) => typeof value === "boolean"];
export const textRule: OptionRule = [
  "a text, not empty",
  (value) => typeof value === "string" && value !== "",
];
export const signalRule: OptionRule = ["an AbortSignal", (value) => value instanceof AbortSignal];
/** Checked where it is read. */
export const anyRule: OptionRule = ["", () => true];

export function wholeRule(least: number, most: number): OptionRule {
  return [
    `a whole number from ${least} to ${most}`,
    (value) => Number.isInteger(value) && (value as number) >= least && (value as number) <= most,
  ];
}

/** Refuses options that are not known, by name, and values that cannot be. `undefined` counts as left out. Throws `invalid_option`. */
export function checkOptions<T extends object>(
  options: T,
  rules: Readonly<Record<keyof T, OptionRule>>,
  what = "options",
): T {
  if (typeof options !== "object" || (options as object | null) === null || Array.isArray(options))
    throw optionError(what, options, "an object");
  const known: Readonly<Record<string, OptionRule>> = rules;
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(known, name)) {
      const names = Object.keys(known).join(", ");
      throw new ResiduaError(
        "invalid_option",
        `${name.slice(0, 64)} is not known in ${what}; known: ${names}`,
      );
    }
    const [allowed, accepts] = known[name]!;
    if (value !== undefined && !accepts(value)) throw optionError(name, value, allowed);
  }
  return options;
}
