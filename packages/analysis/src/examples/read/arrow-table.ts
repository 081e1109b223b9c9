import { FormatError } from "@residua/lens";
import { type DataType, type Field, type Table, Type, type Vector } from "apache-arrow";
import type { Cell, SourceRow, SourceTable } from "./source-table.ts";

export interface ArrowRowsOptions {
  file: string;
  /** Columns to read; default all. */
  only?: ReadonlySet<string> | undefined;
  /** Rows of the file before these. */
  firstRow?: number;
}

/**
 * The rows of an Arrow table. `columns` names those that are not read too. Throws FormatError for a type that is no text, number,
 * truth value, date, list or object of these.
 */
export function arrowRows(table: Table, { file, only, firstRow = 0 }: ArrowRowsOptions): SourceTable {
  const columns = table.schema.fields.map(({ name }) => name);
  const twice = columns.find((name, i) => columns.indexOf(name) !== i);
  if (twice !== undefined) fail(file, `has the column ${JSON.stringify(twice)} twice`);
  const read = table.schema.fields.flatMap(({ name, type }, i) => {
    if (only?.has(name) === false) return [];
    const cell = cellReader(type as DataType, `${file}: column ${JSON.stringify(name)}`);
    const vector = table.getChildAt(i) as Vector;
    return [[name, Array.from({ length: table.numRows }, (_, row) => cell(vector.get(row)))] as const];
  });
  const rows = Array.from({ length: table.numRows }, (_, row): SourceRow => {
    const cells = read.map(([name, values]) => [name, values[row] ?? null] as [string, Cell]);
    return { where: `row ${firstRow + row + 1}`, cells: Object.fromEntries(cells) };
  });
  return { columns, rows };
}

type Read = (value: unknown) => Cell;

function cellReader(type: DataType, what: string): Read {
  const read = readerOf(type, what);
  return (value) => (value === null || value === undefined ? null : read(value));
}

const asTheyAre = new Set([Type.Utf8, Type.LargeUtf8, Type.Utf8View, Type.Bool, Type.Float]);
const lists = new Set([Type.List, Type.LargeList, Type.FixedSizeList]);

function readerOf(type: DataType, what: string): Read {
  const { typeId } = type;
  if (typeId === Type.Null) return () => null;
  if (asTheyAre.has(typeId)) return (value) => value as Cell;
  if (typeId === Type.Int) return (value) => whole(value as number | bigint);
  if (typeId === Type.Date || typeId === Type.Timestamp) return (value) => isoDate(Number(value), type, what);
  if (typeId === Type.Dictionary)
    return cellReader((type as unknown as { dictionary: DataType }).dictionary, what);
  const fields = (type.children as Field[] | null) ?? [];
  if (lists.has(typeId)) {
    const read = cellReader((fields[0] as Field).type as DataType, what);
    return (value) => Array.from(value as Iterable<unknown>, read);
  }
  if (typeId === Type.Struct) {
    const readers = fields.map(({ name, type }) => [name, cellReader(type as DataType, what)] as const);
    return (value) =>
      Object.fromEntries(
        readers.map(([name, read]) => [name, read((value as Record<string, unknown>)[name])]),
      );
  }
  const named = (type as { toString(): string }).toString();
  return fail(
    what,
    `is ${named}; cast it to text or a number, or name the others: columns: { extra: […] }`,
    "format_unsupported",
  );
}

/** Arrow gives 64-bit integers as bigints; those that a number holds become one. */
function whole(value: number | bigint): number | bigint {
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

/** Arrow's reader gives milliseconds for every unit. */
function isoDate(milliseconds: number, type: DataType, what: string): string {
  if (!Number.isInteger(milliseconds)) fail(what, "has times finer than a millisecond; cast it to text");
  const iso = new Date(milliseconds).toISOString();
  return type.typeId === Type.Date ? iso.slice(0, 10) : iso;
}

function fail(
  what: string,
  problem: string,
  code: "format_invalid" | "format_unsupported" = "format_invalid",
): never {
  throw new FormatError(code, `${what} ${problem}`);
}
