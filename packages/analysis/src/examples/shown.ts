import { ExactNumber } from "./read/exact-number.ts";

/** A short rendering of a value. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value, digits) ?? typeof value;
  // Numbers of their own kind are shown as they are: JSON has no infinity, and no number beyond 2^53.
  const isNumber = typeof value === "number" || typeof value === "bigint" || value instanceof ExactNumber;
  const whole = isNumber ? String(value) : text;
  return whole.length > 80 ? `${whole.slice(0, 80)}…` : whole;
}

function digits(_: string, value: unknown): unknown {
  return typeof value === "bigint" || value instanceof ExactNumber ? String(value) : value;
}
