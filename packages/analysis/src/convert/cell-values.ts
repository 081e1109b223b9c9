import { type Data, DataType, type Vector } from "apache-arrow";
import { isOffsetList } from "../files/arrow-check.ts";
import { arrowTexts, isTextType, TextBytesError } from "../files/arrow-texts.ts";
import type { ColumnField, ColumnType, ColumnValue } from "../shards/column-field.ts";
import { BadRow } from "./bad-row.ts";

/** What a column of a file is kept as; `integers` are kept as int32, float64 or texts, whichever holds them all. */
export type CellType = ColumnType | "integers";

/** How cells of this Arrow type are kept; undefined of types that a dataset has no column for. */
export function cellType(type: DataType): CellType | undefined {
  if (DataType.isDictionary(type)) return cellType(type.dictionary as DataType);
  if (isTextType(type)) return "utf8";
  if (DataType.isBool(type)) return "bool";
  if (DataType.isFloat(type)) return "float64";
  if (DataType.isInt(type))
    return type.bitWidth < 32 || (type.bitWidth === 32 && type.isSigned) ? "int32" : "integers";
  if (isOffsetList(type) || DataType.isFixedSizeList(type)) {
    return DataType.isInt(type.children[0]?.type) ? "int32[]" : undefined;
  }
  return undefined;
}

/** The narrowest column that holds whole numbers of up to 64 bits without loss: those beyond 2^53 become texts. */
export function integerType(columns: Iterable<Vector>): "int32" | "float64" | "utf8" {
  let type: "int32" | "float64" = "int32";
  for (const column of columns) {
    for (const value of column as Iterable<number | bigint | null>) {
      if (value === null) continue;
      const number = Number(value);
      if (!Number.isSafeInteger(number)) return "utf8";
      if (number !== (number | 0)) type = "float64";
    }
  }
  return type;
}

/** The cells of a column as values of a field. Throws BadRow at the first that it cannot hold. */
export function cellValues(
  column: Vector,
  { type, nullable }: Pick<ColumnField, "type" | "nullable">,
): ColumnValue[] {
  const read = readers[type];
  const cells = cellsOf(column);
  return Array.from(cells, (cell, row) => {
    if (cell === null) {
      if (nullable) return null;
      throw new BadRow(row, "is null");
    }
    const value = read(cell);
    if (value === undefined) throw new BadRow(row, `is ${shown(cell)}`);
    return value;
  });
}

function cellsOf(column: Vector): Iterable<unknown> {
  const type = column.type as DataType;
  if (isTextType(type)) return texts(column);
  return DataType.isDictionary(type) && isTextType(type.dictionary as DataType)
    ? dictionaryTexts(column)
    : column;
}

function* dictionaryTexts(column: Vector): Generator<string | null> {
  for (const data of column.data) {
    const known = [...texts(data.dictionary as Vector)];
    const indices = data.values as Int32Array;
    for (let i = 0; i < data.length; i++) {
      yield data.nullCount > 0 && !data.getValid(i) ? null : dictionaryText(known, Number(indices[i]), i);
    }
  }
}

function dictionaryText(known: readonly (string | null)[], index: number, row: number): string | null {
  const text = known[index];
  if (text === undefined) throw new BadRow(row, "is not in its dictionary");
  return text;
}

function* texts(column: Vector): Generator<string | null> {
  let row = 0;
  for (const data of column.data as readonly Data[]) {
    try {
      yield* arrowTexts(data);
    } catch (error) {
      throw error instanceof TextBytesError ? new BadRow(row + error.row, error.message) : error;
    }
    row += data.length;
  }
}

const readers: Readonly<Record<ColumnType, (cell: unknown) => ColumnValue | undefined>> = {
  utf8: (cell) =>
    ["string", "number", "bigint", "boolean"].includes(typeof cell) ? String(cell) : undefined,
  bool: (cell) => (typeof cell === "boolean" ? cell : undefined),
  float64: (cell) => {
    const number = typeof cell === "bigint" ? Number(cell) : cell;
    if (typeof number !== "number") return undefined;
    return typeof cell === "bigint" && BigInt(number) !== cell ? undefined : number;
  },
  int32,
  "int32[]": (cell) => {
    const items = Array.from(cell as Iterable<unknown>, int32);
    return items.includes(undefined) ? undefined : (items as number[]);
  },
};

function int32(cell: unknown): number | undefined {
  const number = typeof cell === "bigint" ? Number(cell) : cell;
  return typeof number === "number" && number === (number | 0) ? number : undefined;
}

function shown(cell: unknown): string {
  if (cell === undefined) return "missing";
  if (typeof cell === "object") return "a list with a number that is not of 32 bits";
  const text = `${cell as string | number}`;
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
