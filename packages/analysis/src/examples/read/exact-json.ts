import { randomUUID } from "node:crypto";
import { ExactNumber, isFaithful } from "./exact-number.ts";
import type { Cell } from "./source-table.ts";

/** Strings, numbers, and the constants that JSON does not have. */
const token = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|-?Infinity|NaN/gs;
const isWhole = /^-?\d+$/;
/** What a number that float64 changes has: 15 digits, or an exponent of three. */
const suspicious = /\d[\d.]{14}|[eE][+-]?\d{3}/;
/** A key that no document has. */
const mark = `exact:${randomUUID()}`;

/**
 * JSON without its loss: a whole number beyond 2^53, which JSON.parse rounds, is a bigint, another that it changes an ExactNumber. With `constants` the NaN and Infinity
 * that Python writes are null. Throws SyntaxError.
 */
export function parseExact(text: string, { constants = false } = {}): Cell {
  if (!suspicious.test(text) && !(constants && /NaN|Infinity/.test(text))) return JSON.parse(text) as Cell;
  const marked = text.replace(token, (one) => {
    if (one.startsWith('"')) return one;
    if (one.endsWith("y") || one === "NaN") return constants ? "null" : one;
    const kept = isWhole.test(one) ? Number.isSafeInteger(Number(one)) : isFaithful(one);
    return kept ? one : `{"${mark}":"${one}"}`;
  });
  return JSON.parse(marked, (_, value: Cell) => {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, mark)) return value;
    const exact = (value as unknown as Record<string, string>)[mark] as string;
    return isWhole.test(exact) ? BigInt(exact) : new ExactNumber(exact);
  }) as Cell;
}

/** The text of a value, with all digits of its bigints (which JSON.stringify refuses) and exact numbers. */
export function stringifyExact(cell: Cell): string {
  if (typeof cell === "bigint" || cell instanceof ExactNumber) return String(cell);
  if (typeof cell !== "object" || cell === null) return JSON.stringify(cell);
  if (Array.isArray(cell)) return `[${(cell as readonly Cell[]).map(stringifyExact).join(",")}]`;
  const entries = Object.entries(cell as Record<string, Cell>);
  return `{${entries.map(([key, value]) => `${JSON.stringify(key)}:${stringifyExact(value)}`).join(",")}}`;
}
