import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import type { StoredArray } from "@residua/lens";
import { DatasetError } from "../dataset/dataset-error.ts";
import { exists } from "../files/exists.ts";
import type { RowDtype, RowNumbers } from "../shards/row-dtype.ts";
import { layerColumn } from "../shards/shard-schema.ts";
import { arrowTable } from "./arrow-table.ts";
import { mapColumns } from "./column-map.ts";
import { columnError, readingFile } from "./convert-errors.ts";
import type { GroupedRows } from "./grouped-source.ts";
import { layerError, targetDtype, writtenNumbers } from "./layer-reader.ts";
import { checkPath } from "../options/check-path.ts";
import { narrowNumbers, type FileNumbers } from "./narrow-numbers.ts";
import { parquetTable } from "./read-parquet.ts";
import { checkForm, checkReading, type CheckedRows } from "./rows-check.ts";
import { aboutOf, headerKey, parseHeader, type RowsHeader } from "./rows-header.ts";
import { rowTable } from "./row-table.ts";
import type { TableFile } from "./table-file.ts";
import {
  firstRow,
  importedSource,
  placedFields,
  tableHeader,
  type ImportedSource,
  type ImportOptions,
} from "./table-source.ts";
import {
  findLayers,
  npyFile,
  npyFiles,
  safetensorsFile,
  type LayerPlaces,
  type TensorFile,
} from "./tensor-files.ts";
import { columnsFile, writingMark } from "./export-names.ts";
import { checkOptions } from "../options/check-options.ts";
import { tensorReading } from "./file-options.ts";

/** In the map, `layers` names the array of each layer; by default those called `layer_L` are taken. */
export interface TensorOptions extends ImportOptions {
  /** Of one array [layers, rows, width]: the layers along its first axis. */
  axis?: readonly number[];
  /** A Parquet or Arrow file with a row for each row of the arrays. Default: the one that Residua wrote, else none. */
  columns?: string;
}

/** Opens the rows of a safetensors file; only the rows that are asked for are read. Throws DatasetError. */
export async function readSafetensorsRows(
  path: string,
  options: TensorOptions = {},
): Promise<ImportedSource> {
  checkPath(path, "path");
  checkOptions(tensorReading, options, "safetensors options");
  return tensorSource(await safetensorsFile(path), options);
}

/** Opens the rows of a .npy file, or of a folder of them; only the rows that are asked for are read. Throws DatasetError. */
export async function readNpyRows(path: string, options: TensorOptions = {}): Promise<ImportedSource> {
  checkPath(path, "path");
  checkOptions(tensorReading, options, "npy options");
  const names = await readdir(path).catch(() => undefined);
  if (names === undefined) return tensorSource(await npyFile(path), options);
  if (names.includes(writingMark)) throw unfinished(path);
  const files = names.filter((name) => name.endsWith(".npy")).sort();
  if (files.length === 0) {
    throw new DatasetError("file_invalid", {
      path,
      found: "a folder without .npy files",
      expected: "a .npy file, or a folder of them",
      advice: "Check the path.",
    });
  }
  return tensorSource(
    await npyFiles(path, new Map(files.map((name) => [basename(name, ".npy"), join(path, name)]))),
    options,
  );
}

function unfinished(path: string): DatasetError {
  return new DatasetError("file_invalid", {
    path,
    found: `a folder whose files were being replaced (${writingMark})`,
    expected: "the files of one export",
    advice: "The program that wrote it ended before it was done: export the rows again.",
  });
}

async function tensorSource(file: TensorFile, options: TensorOptions): Promise<ImportedSource> {
  if (options.columns !== undefined) checkPath(options.columns, "columns");
  // The layers of the map are arrays here; its other names are columns of the table.
  const { layers, ...map } = options.map ?? {};
  const { rows, width, dtype: stored, places } = findLayers(file, { layers, axis: options.axis });
  const table = await columnsOf(file, options, rows);
  const { header, about, ...checked } = tensorHeader(file, table, rows, options);
  checkRows(table, file, rows);
  const first = places[0] as LayerPlaces["places"][number];
  const item = floatItem(file, first.array, stored);
  const dtype = targetDtype(file.path, first.array, item, options, header);
  const readLayer: GroupedRows["readLayer"] = async (layer, range, reading) => {
    const place = places.find((place) => place.layer === layer) as LayerPlaces["places"][number];
    const row = firstRow(table, range);
    const count = range.to - range.from;
    const from = row + (place.index ?? 0) * rows;
    const read = (): Promise<StoredArray> => file.readRows(place.array, from, from + count);
    const array = await readingFile(file.path, file.kind, read);
    try {
      const as = (target: RowDtype, round = false): RowNumbers<ArrayBuffer> =>
        narrowNumbers(numbersOf(array, target), target, { round });
      const written = writtenNumbers(reading, { column: place.array, first: row, rows: count }, as);
      return written?.dtype === dtype ? written.numbers : as(dtype, options.round);
    } catch (error) {
      throw layerError(error, { path: file.path, column: place.array, row, hiddenSize: width, dtype });
    }
  };
  const fields = await placedFields(table, mapColumns(table, map, header).columns);
  return importedSource(table, fields, {
    path: file.path,
    layers: places.map(({ layer }) => layer),
    hiddenSize: width,
    dtype,
    readLayer,
    about,
    check: () => ({
      cells: checkReading(checked.columns).cells,
      numbers: checkReading(checked.layers).numbers,
    }),
  });
}

/**
 * What the arrays and the table beside them say of their rows, and by what each is checked: arrays by their own metadata, or by those
 * of the table that was written with them. Throws DatasetError.
 */
function tensorHeader(
  file: TensorFile,
  table: TableFile,
  rows: number,
  options: TensorOptions,
): Pick<ReturnType<typeof tableHeader>, "header" | "about"> & Record<"columns" | "layers", CheckedRows[]> {
  const { header: beside, about, files } = tableHeader(table, options);
  const own = parseHeader(file);
  const header = beside ?? own?.header;
  const known = { header, about: beside === undefined && own !== undefined ? aboutOf(own.header) : about };
  if (options.unchecked === true) return { ...known, columns: [], layers: [] };
  const isOwnTable = options.columns === undefined;
  const ofTable = isOwnTable ? files[0]?.known : undefined;
  if (
    own?.sums &&
    ofTable &&
    JSON.stringify(own) !== JSON.stringify({ ...ofTable, sums: ofTable.sums ?? own.sums })
  ) {
    throw new DatasetError("file_checksum", {
      path: table.path,
      found: `other metadata ${headerKey} than in ${basename(file.path)}`,
      expected: "the columns that were written with these tensors",
      advice: "Put the two files of one export together, or export it again.",
    });
  }
  const ofLayers = { path: file.path, rows, known: own ?? ofTable };
  const written = writtenLayers(ofLayers.known?.header, options);
  checkForm(ofLayers, file.arrays.keys(), written);
  if (ofLayers.known?.sums !== undefined && written.length > 0) refuseOtherLayers(file, written);
  const names = table.schema.fields.map(({ name }) => name);
  for (const one of isOwnTable && own ? [{ ...ofLayers, path: table.path }] : files)
    checkForm(one, names, one.known?.header.columns.map(({ name }) => name) ?? []);
  return { ...known, columns: files, layers: [ofLayers] };
}

/** A layer that was laid beside those of an export would pass for one of them. */
function refuseOtherLayers({ path, arrays }: TensorFile, written: readonly string[]): void {
  const other = [...arrays.keys()].find((name) => /^layer_-?\d+$/.test(name) && !written.includes(name));
  if (other === undefined) return;
  throw new DatasetError("file_checksum", {
    path,
    found: `an array ${other} that was not written with the others`,
    expected: written.join(", "),
    advice:
      "Take it away, name the layers that are wanted in map.layers, or say unchecked: true (--unchecked).",
  });
}

/** Arrays that must be there, unless it is said which ones are wanted. */
function writtenLayers(header: RowsHeader | undefined, { map, axis }: TensorOptions): string[] {
  return header === undefined || map?.layers !== undefined || axis !== undefined
    ? []
    : header.layers.map(layerColumn);
}

/** What an array holds, where it can be rows. Throws DatasetError of integers: their bytes are no bits of floats. */
function floatItem({ path }: TensorFile, array: string, dtype: StoredArray["dtype"]): FloatItem {
  const item = floatItems.find((known) => known === dtype);
  if (item !== undefined) return item;
  throw columnError(
    path,
    array,
    `holds ${dtype}`,
    "float16, bfloat16, float32 or float64, or uint16 that are bits",
    "Write the array again as float32, or choose another one for the layer.",
  );
}

type FloatItem = Parameters<typeof targetDtype>[2];
const floatItems: readonly FloatItem[] = ["float64", "float32", "float16", "bfloat16", "uint16"];

async function columnsOf(file: TensorFile, { columns }: TensorOptions, rows: number): Promise<TableFile> {
  const beside = columnsFile(file.path);
  const path = columns ?? ((await exists(beside)) ? beside : undefined);
  if (path === undefined) return rowTable(file.path, rows);
  return /\.(arrow|arrows|feather)$/.test(path) ? arrowTable(path) : parquetTable(path);
}

function checkRows(table: TableFile, file: TensorFile, rows: number): void {
  const found = table.groups.reduce((sum, group) => sum + group.rows, 0);
  if (found === rows) return;
  throw new DatasetError("file_invalid", {
    path: table.path,
    found: `${found} rows of columns`,
    expected: `${rows} rows, as the arrays of ${basename(file.path)} have`,
    advice: "Give the columns of these arrays.",
  });
}

/** The bytes of an array as numbers; bits are of the type that the rows become. */
function numbersOf({ dtype, bytes }: StoredArray, target: RowDtype): FileNumbers {
  // A buffer of its own, aligned for every type.
  const { buffer } = Uint8Array.from(bytes);
  if (dtype === "float64") return { dtype, values: new Float64Array(buffer) };
  if (dtype === "float32") return { dtype, values: new Float32Array(buffer) };
  const known = dtype === "uint16" ? (target as "bfloat16" | "float16") : (dtype as "bfloat16" | "float16");
  return { dtype: known, values: new Uint16Array(buffer) };
}
