import { FormatError } from "@residua/lens";
import { type Data, DataType, type Dictionary, type Field, type Table, Type, Vector } from "apache-arrow";
import { arrowTexts, isTextType, TextBytesError } from "../../files/arrow-texts.ts";
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
    const read = cellsReader(type as DataType, `${file}: column ${JSON.stringify(name)}`);
    return [
      [
        name,
        ((table.getChildAt(i) as Vector).data as readonly Data[]).flatMap((data) => read(data)),
      ] as const,
    ];
  });
  const rows = Array.from({ length: table.numRows }, (_, row): SourceRow => {
    const cells = read.map(([name, values]) => [name, values[row] ?? null] as [string, Cell]);
    return { where: `row ${firstRow + row + 1}`, cells: Object.fromEntries(cells) };
  });
  return { columns, rows };
}

/** Reads the cells of one chunk of a column. */
type ReadCells = (data: Data) => Cell[];

function cellsReader(type: DataType, what: string): ReadCells {
  const read = readerOf(type, what);
  return (data) => {
    const cells = read(data);
    for (let i = 0; i < data.length && data.nullCount > 0; i++) if (!data.getValid(i)) cells[i] = null;
    return cells;
  };
}

const lists = new Set([Type.List, Type.LargeList, Type.FixedSizeList]);

/** Cells of a type; what stands where the column is null does not matter. */
function readerOf(type: DataType, what: string): ReadCells {
  const { typeId } = type;
  if (typeId === Type.Null) return ({ length }) => Array.from({ length }, () => null);
  if (isTextType(type)) return (data) => texts(data, what);
  if (typeId === Type.Bool || typeId === Type.Float) return eachValue((value) => value as Cell);
  if (typeId === Type.Int) return eachValue((value) => whole(value as number | bigint));
  if (typeId === Type.Date || typeId === Type.Timestamp)
    return eachValue((value) => isoDate(Number(value), type, what));
  if (typeId === Type.Dictionary) {
    const read = cellsReader((type as Dictionary).dictionary as DataType, what);
    return ({ dictionary, values, length }) => {
      const known = ((dictionary as Vector).data as readonly Data[]).flatMap((data) => read(data));
      return Array.from({ length }, (_, i) => known[Number((values as Int32Array)[i])] ?? null);
    };
  }
  const fields = (type.children as Field[] | null) ?? [];
  if (lists.has(typeId)) return listReader(type, what);
  if (typeId === Type.Struct) {
    const readers = fields.map(({ name, type }) => [name, cellsReader(type as DataType, what)] as const);
    return ({ children, length }) => {
      const columns = readers.map(([name, read], i) => [name, read(children[i] as Data)] as const);
      return Array.from({ length }, (_, row) =>
        Object.fromEntries(columns.map(([name, cells]) => [name, cells[row] ?? null])),
      );
    };
  }
  const named = (type as { toString(): string }).toString();
  return fail(
    what,
    `is ${named}; cast it to text or a number, or name the others: columns: { extra: […] }`,
    "format_unsupported",
  );
}

function eachValue(read: (value: unknown) => Cell): ReadCells {
  return (data) =>
    Array.from(new Vector([data]) as Iterable<unknown>, (value) => (value === null ? null : read(value)));
}

function listReader(type: DataType, what: string): ReadCells {
  const read = cellsReader((type.children[0] as Field).type as DataType, what);
  const size = DataType.isFixedSizeList(type) ? type.listSize : undefined;
  return ({ children, valueOffsets, length }) => {
    const items = read(children[0] as Data);
    const offsets = valueOffsets as Int32Array | BigInt64Array;
    const begin = (i: number): number => (size === undefined ? Number(offsets[i]) : size * i);
    return Array.from({ length }, (_, i) => items.slice(begin(i), begin(i + 1)));
  };
}

function texts(data: Data, what: string): Cell[] {
  try {
    return [...arrowTexts(data)];
  } catch (error) {
    if (error instanceof TextBytesError) fail(what, "has bytes that are not UTF-8");
    throw error;
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
