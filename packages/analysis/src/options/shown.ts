import { ExactNumber } from "../examples/read/exact-number.ts";

/** A short rendering of a value. */
export function shown(value: unknown): string {
  const text = json(value) ?? typeof value;
  // Numbers of their own kind are shown as they are: JSON has no infinity, and no number beyond 2^53.
  const isNumber = typeof value === "number" || typeof value === "bigint" || value instanceof ExactNumber;
  const whole = isNumber ? String(value) : text;
  return whole.length > 80 ? `${whole.slice(0, 80)}…` : whole;
}

/** Nothing where JSON has no word for it: a function, a list that holds itself, what throws when it is read. */
function json(value: unknown): string | undefined {
  try {
    return JSON.stringify(value, digits);
  } catch {
    return undefined;
  }
}

function digits(_: string, value: unknown): unknown {
  return typeof value === "bigint" || value instanceof ExactNumber ? String(value) : value;
}
