import { DataType, type Vector } from "apache-arrow";
import type { ColumnField, ColumnType, ColumnValue } from "../shards/column-field.ts";

/** What a column of a file is kept as; `integers` are kept as int32, float64 or texts, whichever holds them all. */
export type CellType = ColumnType | "integers";

/** How cells of this Arrow type are kept; undefined of types that a dataset has no column for. */
export function cellType(type: DataType): CellType | undefined {
  if (DataType.isDictionary(type)) return cellType(type.dictionary);
  if (DataType.isUtf8(type) || DataType.isLargeUtf8(type)) return "utf8";
  if (DataType.isBool(type)) return "bool";
  if (DataType.isFloat(type)) return "float64";
  if (DataType.isInt(type))
    return type.bitWidth < 32 || (type.bitWidth === 32 && type.isSigned) ? "int32" : "integers";
  if (DataType.isList(type) || DataType.isFixedSizeList(type)) {
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

/** What is wrong with one cell. */
export class BadCell extends Error {
  readonly row: number;
  constructor(row: number, problem: string) {
    super(problem);
    this.row = row;
  }
}

/** The cells of a column as values of a field. Throws BadCell at the first that it cannot hold. */
export function cellValues(
  column: Vector,
  { type, nullable }: Pick<ColumnField, "type" | "nullable">,
): ColumnValue[] {
  const read = readers[type];
  return Array.from(column as Iterable<unknown>, (cell, row) => {
    if (cell === null || cell === undefined) {
      if (nullable) return null;
      throw new BadCell(row, "is null");
    }
    const value = read(cell);
    if (value === undefined) throw new BadCell(row, `is ${shown(cell)}`);
    return value;
  });
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
  const text = typeof cell === "object" ? "a list with a number that is not of 32 bits" : String(cell);
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
