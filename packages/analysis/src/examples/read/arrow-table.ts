import { FormatError } from "@residua/lens";
import {
  type Data,
  DataType,
  type Date_,
  DateUnit,
  type Dictionary,
  type Field,
  type Schema,
  type Table,
  TimeUnit,
  type Timestamp,
  Type,
  Vector,
} from "apache-arrow";
import { checkColumn } from "../../files/arrow-check.ts";
import { arrowTexts, isTextType, TextBytesError } from "../../files/arrow-texts.ts";
import type { Cell, SourceRow } from "./source-table.ts";

export interface ArrowRowsOptions {
  file: string;
  /** Columns to read; default all. */
  only?: ReadonlySet<string> | undefined;
  /** Rows of the file before these. */
  firstRow?: number;
}

/**
 * Refuses a name that two columns have, and columns of a type that is no text, number, truth value, date, list or object of these. Throws
 * FormatError.
 */
export function checkArrowColumns({ fields }: Schema, wanted: readonly string[], file: string): void {
  const names = fields.map(({ name }) => name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) fail(file, `has the column ${JSON.stringify(twice)} twice`);
  for (const { name, type } of fields) {
    if (wanted.includes(name)) cellsReader(type as DataType, columnOf(file, name));
  }
}

/** The rows of an Arrow table whose columns were checked. Throws FormatError, and LayoutError of buffers that are too short. */
export function arrowRows(table: Table, { file, only, firstRow = 0 }: ArrowRowsOptions): SourceRow[] {
  const read = table.schema.fields.flatMap(({ name, type }, i) => {
    if (only?.has(name) === false) return [];
    const column = table.getChildAt(i) as Vector;
    checkColumn(name, column);
    const read = cellsReader(type as DataType, columnOf(file, name));
    return [[name, (column.data as readonly Data[]).flatMap((data) => read(data))] as const];
  });
  return Array.from({ length: table.numRows }, (_, row): SourceRow => {
    const cells = read.map(([name, values]) => [name, values[row] ?? null] as [string, Cell]);
    return { where: `row ${firstRow + row + 1}`, cells: Object.fromEntries(cells) };
  });
}

function columnOf(file: string, name: string): string {
  return `${file}: column ${JSON.stringify(name)}`;
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
  if (DataType.isDate(type) || DataType.isTimestamp(type)) return (data) => isoDates(data, type, what);
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

const day = 86_400_000n;
/** What a count of a timestamp's unit is multiplied with, then divided by, to be milliseconds. */
const milliseconds: Readonly<Record<TimeUnit, readonly [bigint, bigint]>> = {
  [TimeUnit.SECOND]: [1000n, 1n],
  [TimeUnit.MILLISECOND]: [1n, 1n],
  [TimeUnit.MICROSECOND]: [1n, 1000n],
  [TimeUnit.NANOSECOND]: [1n, 1_000_000n],
};

/** The counts as they are stored: Arrow's reader gives milliseconds as a number, which rounds nanoseconds. */
function isoDates(data: Data, type: Date_ | Timestamp, what: string): Cell[] {
  const isDate = DataType.isDate(type);
  const [times, by] = isDate ? [type.unit === DateUnit.DAY ? day : 1n, 1n] : milliseconds[type.unit];
  const counts = data.values as Int32Array | BigInt64Array;
  return Array.from({ length: data.length }, (_, i) => {
    if (data.nullCount > 0 && !data.getValid(i)) return null;
    const count = BigInt(counts[i] as number | bigint) * times;
    if (count % by !== 0n) fail(what, "has times finer than a millisecond; cast it to text");
    const time = count / by;
    if (isDate && time % day !== 0n) fail(what, "has dates with a time of day; cast it to a timestamp");
    const date = new Date(Number(time));
    if (Number.isNaN(date.getTime())) fail(what, "has times beyond the year 275760; cast it to text");
    return isDate ? date.toISOString().replace(/T.*/, "") : date.toISOString();
  });
}

function fail(
  what: string,
  problem: string,
  code: "format_invalid" | "format_unsupported" = "format_invalid",
): never {
  throw new FormatError(code, `${what} ${problem}`);
}
