import { ExactNumber, isFaithful } from "./read/exact-number.ts";
import { stringifyExact } from "./read/exact-json.ts";
import type { Cell } from "./read/source-table.ts";
import type { ExampleValue } from "./example-columns.ts";

export type ValueType = "bool" | "float64" | "utf8";

const decimal = /^[+-]?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const truths = new Map([
  ["true", true],
  ["false", false],
]);

/**
 * The values of one label or extra column. Without a type: CSV cells become numbers or truth values where all of them are such; lists and
 * objects become JSON. One rule for numbers of CSV and JSON: a number that float64 would make another one (see `isFaithful`) is
 * never read as that; a column with one is text, all of it. `refuse` is told of what is not of the type.
 */
export function columnValues(
  cells: readonly Cell[],
  { type, isText }: { type: ValueType | undefined; isText: boolean },
  refuse: (index: number, allowed: string) => void,
): ExampleValue[] {
  const wanted = type ?? (isText ? formOf(cells) : cells.some(isUnsafe) ? "digits" : undefined);
  const read = wanted === undefined ? asItIs : readers[wanted];
  return cells.map((cell, i) => {
    const value = cell === null ? null : read(cell);
    if (value === undefined) refuse(i, `${wanted ?? "a value"}${hints[wanted ?? ""] ?? ""}`);
    return value ?? null;
  });
}

const hints: Readonly<Record<string, string>> = {
  bool: ": true, false, 1 or 0",
  float64: ": a number that float64 holds, whole ones without losing digits",
};

const readers: Record<ValueType | "digits", (cell: Exclude<Cell, null>) => ExampleValue | undefined> = {
  utf8: textOf,
  digits: (cell) => (typeof cell === "number" ? String(cell) : asItIs(cell)),
  bool: (cell) => {
    if (typeof cell === "boolean") return cell;
    const text = String(typeof cell === "object" ? "" : cell).toLowerCase();
    return truths.get(text) ?? (text === "1" ? true : text === "0" ? false : undefined);
  },
  float64: (cell) => {
    if (typeof cell === "number") return cell;
    if (typeof cell === "bigint") return BigInt(Number(cell)) === cell ? Number(cell) : undefined;
    return typeof cell === "string" && decimal.test(cell) && isFaithful(cell) ? Number(cell) : undefined;
  },
};

function asItIs(cell: Exclude<Cell, null>): ExampleValue {
  return typeof cell === "object" ? stringifyExact(cell) : typeof cell === "bigint" ? String(cell) : cell;
}

function textOf(cell: Exclude<Cell, null>): string {
  return typeof cell === "string" ? cell : typeof cell === "boolean" ? String(cell) : stringifyExact(cell);
}

/** What all cells of text are. An id such as 007 or one beyond 2^53 stays text. */
function formOf(cells: readonly Cell[]): ValueType {
  const texts = cells.filter((cell) => cell !== null) as string[];
  if (texts.length === 0) return "utf8";
  if (texts.every((text) => truths.has(text.toLowerCase()))) return "bool";
  return texts.every((text) => decimal.test(text) && !isUnsafe(text)) ? "float64" : "utf8";
}

/** Whether it is a number that a number would change: whole ones beyond 2^53 too where they would not, so that neighbours stay alike. */
function isUnsafe(cell: Cell): boolean {
  if (typeof cell === "bigint" || cell instanceof ExactNumber) return true;
  if (typeof cell !== "string") return false;
  return /^[+-]?\d+$/.test(cell)
    ? !Number.isSafeInteger(Number(cell))
    : decimal.test(cell) && !isFaithful(cell);
}
