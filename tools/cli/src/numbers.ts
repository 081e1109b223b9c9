import type { Estimate } from "@residua/analysis";
import { UsageError } from "./usage-error.ts";

/** A share as a percentage without needless digits: 0.987 → `98.7 %`. */
export function percent(share: number): string {
  return `${(100 * share).toFixed(1).replace(/\.0$/, "")} %`;
}

/** An estimate with its interval: `0.98 [0.95, 1.00]`. */
export function withInterval(
  { value, low, high }: Pick<Estimate, "value" | "low" | "high">,
  digits = 3,
): string {
  if (value === null) return "undefined";
  const interval =
    low === null || high === null ? "no interval" : `${low.toFixed(digits)}, ${high.toFixed(digits)}`;
  return `${value.toFixed(digits)} [${interval}]`;
}

/** Parses `0,2,4` or `all`; throws with what is allowed. */
export function parseLayers(text: string): number[] | "all" {
  if (text === "all") return "all";
  return parseNumbers(
    text,
    "--layers",
    (n) => Number.isInteger(n) && n >= 0,
    'layer numbers from 0, such as 0,2,4, or "all"',
  );
}

/** Parses token ids such as `1,20,3`. */
export function tokenIds(text: string): number[] {
  const allowed = (n: number) => Number.isSafeInteger(n) && n >= 0;
  return parseNumbers(text, "--ids", allowed, "token ids, such as 1,20,3");
}

/** Parses which rows are kept of each example. */
export function parseSelection(text: string): "last" | "first" | "all" {
  if (text === "last" || text === "first" || text === "all") return text;
  throw new UsageError(`--select: "${text}" is not allowed; give last, first or all`);
}

/** Parses a list such as `-2,-1,0,1,2`. */
export function parseScales(text: string): number[] {
  return parseNumbers(text, "--scales", Number.isFinite, "numbers, such as -2,-1,0,1,2");
}

function parseNumbers(text: string, flag: string, allowed: (n: number) => boolean, hint: string): number[] {
  const numbers = text.split(",").map((part) => (part.trim() === "" ? Number.NaN : Number(part)));
  const wrong = numbers.findIndex((n) => !allowed(n));
  if (wrong >= 0) throw new UsageError(`${flag}: "${text.split(",")[wrong]}" is not allowed; give ${hint}`);
  return numbers;
}
