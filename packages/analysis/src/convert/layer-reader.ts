import type { DataType, Field, Vector } from "apache-arrow";
import { InvalidRequestError } from "@residua/lens";
import { DatasetError } from "../dataset/dataset-error.ts";
import type { RowDtype, RowNumbers } from "../shards/row-dtype.ts";
import { columnError } from "./convert-errors.ts";
import type { GroupRange } from "./grouped-source.ts";
import { BadRow } from "./bad-row.ts";
import { firstWidth, listItem, listNumbers, type ListItem } from "./list-numbers.ts";
import { InexactNumber, narrowNumbers, type FileNumbers } from "./narrow-numbers.ts";
import type { CheckedReading, RowPlace } from "./rows-check.ts";
import type { RowsHeader } from "./rows-header.ts";
import type { TableFile } from "./table-file.ts";
import type { ImportOptions } from "./table-source.ts";

export interface LayerForm {
  file: TableFile;
  layers: readonly { layer: number; from: string }[];
  options: ImportOptions;
  header: RowsHeader | undefined;
  read: (column: string, range: GroupRange) => Promise<Vector>;
}

export interface LayerReader {
  hiddenSize: number;
  dtype: RowDtype;
  /** The lists of a column as rows of `dtype`; `first` is the index of its first row in the file. */
  numbers(column: string, lists: Vector, first: number, reading?: CheckedReading): RowNumbers<ArrayBuffer>;
}

/** Finds out width and type of the layers' rows, and how they are read. Throws DatasetError. */
export async function layerReader({ file, layers, options, header, read }: LayerForm): Promise<LayerReader> {
  const { path } = file;
  const items = new Map(layers.map(({ from }) => [from, itemOf(file, from)]));
  const first = layers[0] as { from: string };
  const dtype = targetDtype(path, first.from, items.get(first.from) as ListItem, options, header);
  const hiddenSize = header?.hiddenSize ?? (await widthOf(file, first.from, read));

  return {
    hiddenSize,
    dtype,
    numbers(column, lists, row, reading) {
      const item = items.get(column) as ListItem;
      try {
        const values = listNumbers(lists, hiddenSize, item);
        const as = (target: RowDtype, round = false): RowNumbers<ArrayBuffer> =>
          narrowNumbers({ dtype: storedDtype(item, target), values } as FileNumbers, target, { round });
        const written = writtenNumbers(reading, { column, first: row, rows: lists.length }, as);
        return written?.dtype === dtype ? written.numbers : as(dtype, options.round);
      } catch (error) {
        throw layerError(error, { path, column, row, hiddenSize, dtype });
      }
    },
  };
}

/** Checks numbers in the type that was written; undefined where there is nothing to check them by. */
export function writtenNumbers(
  reading: CheckedReading | undefined,
  { column, ...place }: RowPlace & { column: string },
  as: (dtype: RowDtype) => RowNumbers<ArrayBuffer>,
): { dtype: RowDtype; numbers: RowNumbers<ArrayBuffer> } | undefined {
  let written: { dtype: RowDtype; numbers: RowNumbers<ArrayBuffer> } | undefined;
  reading?.numbers(column, place, (dtype) => {
    written = { dtype, numbers: as(dtype) };
    return written.numbers;
  });
  return written;
}

/** Bits are of the type that the rows become. */
function storedDtype(item: ListItem, dtype: RowDtype): FileNumbers["dtype"] {
  return item === "uint16" ? dtype : item;
}

function itemOf(file: TableFile, column: string): ListItem {
  const field = file.schema.fields.find(({ name }) => name === column) as Field;
  const item = listItem(field.type as DataType);
  if (item !== undefined) return item;
  throw columnError(
    file.path,
    column,
    `is of type ${String(field.type)}`,
    "lists of float32, float64 or float16, or of unsigned 16-bit integers that are bits",
    "Choose another column for the layer, or leave it out.",
  );
}

/** What the rows become: as asked, as the header says, or as they are. */
export function targetDtype(
  path: string,
  column: string,
  item: ListItem | "bfloat16",
  { dtype, bits, round }: ImportOptions,
  header: RowsHeader | undefined,
): RowDtype {
  if (item === "uint16") {
    const known = header?.stored === "bits" ? header.dtype : undefined;
    const target = dtype ?? known;
    if ((bits === true || known !== undefined) && target !== undefined && target !== "float32") return target;
    throw columnError(
      path,
      column,
      "holds unsigned 16-bit integers",
      "to know what they are bits of",
      'Say bits: true and dtype: "bfloat16" or "float16", if that is what they are.',
    );
  }
  if (bits === true) {
    const issue = {
      field: "bits",
      given: `true, for numbers of ${item}`,
      allowed: "for unsigned 16-bit integers",
    };
    throw new InvalidRequestError([issue], "options");
  }
  const target = dtype ?? header?.dtype ?? (item === "float64" ? undefined : item);
  if (target !== undefined) return target;
  throw columnError(
    path,
    column,
    "holds float64, which a dataset has no rows of",
    "to be told to narrow them",
    `Say dtype: "float32" (exact numbers only) ${round === true ? "" : "and round: true (to nearest)"}.`,
  );
}

async function widthOf(file: TableFile, column: string, read: LayerForm["read"]): Promise<number> {
  const group = file.groups.findIndex(({ rows }) => rows > 0);
  const width = group < 0 ? undefined : firstWidth(await read(column, { group, from: 0, to: 1 }));
  if (group >= 0 && width === undefined) {
    throw columnError(
      file.path,
      column,
      "is null in row 0",
      "a list of numbers in every row",
      "Leave such rows out.",
    );
  }
  if (width !== undefined && width > 0) return width;
  throw new DatasetError("no_rows", {
    path: file.path,
    found: group < 0 ? "a file without rows" : `column ${JSON.stringify(column)} with empty lists`,
    expected: "at least one row of at least one number",
    advice: "Check what wrote the file.",
  });
}

/** What went wrong with the numbers of a column, as a DatasetError that names it and the row. */
export function layerError(
  error: unknown,
  where: { path: string; column: string; row: number; hiddenSize: number; dtype: RowDtype },
): unknown {
  const { path, column, row, hiddenSize, dtype } = where;
  if (error instanceof BadRow) {
    const expected = `a list of ${hiddenSize} numbers in every row`;
    return columnError(
      path,
      column,
      `${error.message} in row ${row + error.row}`,
      expected,
      "Leave such rows out, or mend them.",
    );
  }
  if (!(error instanceof InexactNumber)) return error;
  return new DatasetError("not_exact", {
    path,
    found: `column ${JSON.stringify(column)} has a number in row ${row + Math.floor(error.index / hiddenSize)} that would change: ${error.message}`,
    expected: `numbers that ${dtype} holds exactly, or to be told to round`,
    advice: `Say round: true to round to nearest (a finite number that would become infinite stays refused), or another dtype than "${dtype}".`,
  });
}
