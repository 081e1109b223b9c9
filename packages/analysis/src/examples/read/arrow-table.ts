import { FormatError } from "@residua/lens";
import { type DataType, type Table, Type, type Vector } from "apache-arrow";
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
    const cell = cellReader(type, `${file}: column ${JSON.stringify(name)}`);
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

function readerOf(type: DataType, what: string): Read {
  switch (type.typeId) {
    case Type.Null:
      return () => null;
    case Type.Utf8:
    case Type.LargeUtf8:
    case Type.Utf8View:
    case Type.Bool:
    case Type.Float:
      return (value) => value as Cell;
    case Type.Int:
      return (value) => whole(value as number | bigint);
    case Type.Dictionary:
      return cellReader((type as unknown as { dictionary: DataType }).dictionary, what);
    case Type.Date:
    case Type.Timestamp:
      return (value) => isoDate(Number(value), type, what);
    case Type.List:
    case Type.FixedSizeList: {
      const read = cellReader((type.children[0] as { type: DataType }).type, what);
      return (value) => Array.from(value as Iterable<unknown>, read);
    }
    case Type.Struct: {
      const fields = type.children.map(
        (field) => [field.name, cellReader(field.type as DataType, what)] as const,
      );
      return (value) =>
        Object.fromEntries(
          fields.map(([name, read]) => [name, read((value as Record<string, unknown>)[name])]),
        );
    }
    default:
      return fail(
        what,
        `is ${String(type)}; cast it to text or a number, or name the others: columns: { extra: […] }`,
        "format_unsupported",
      );
  }
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
