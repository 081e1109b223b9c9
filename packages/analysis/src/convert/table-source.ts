import type { Vector } from "apache-arrow";
import { DatasetError } from "../dataset/dataset-error.ts";
import type { RowSource } from "../dataset/row-source.ts";
import type { ColumnField, ColumnType, ColumnValue } from "../shards/column-field.ts";
import type { RowDtype } from "../shards/row-dtype.ts";
import { layerColumn } from "../shards/shard-schema.ts";
import { commonAbout } from "../dataset/views/agree.ts";
import { checkColumn } from "../files/arrow-check.ts";
import { LayoutError } from "../files/file-read.ts";
import { BadRow } from "./bad-row.ts";
import { cellValues, integerType } from "./cell-values.ts";
import { mapColumns, withTypes, type ColumnMap, type MappedColumn } from "./column-map.ts";
import { columnError, readingFile } from "./convert-errors.ts";
import { groupedSource, type GroupedRows, type GroupRange } from "./grouped-source.ts";
import { layerReader, type LayerForm } from "./layer-reader.ts";
import { checkForm, checkReading, type CheckedReading, type CheckedRows } from "./rows-check.ts";
import { aboutOf, headerKey, parseHeader, type RowsAbout, type RowsHeader } from "./rows-header.ts";
import type { TableFile } from "./table-file.ts";

export interface ImportOptions {
  /** What the columns of a file that Residua did not write are. */
  map?: ColumnMap;
  /** What the rows' numbers become. Default: what they are in the file, or were before they were exported. */
  dtype?: RowDtype;
  /** Unsigned 16-bit integers are bits of `dtype`, which then must be given. */
  bits?: boolean;
  /** Round numbers that `dtype` does not hold; without it they are refused. */
  round?: boolean;
  /** Read an exported file that another program changed and whose metadata it kept: nothing is compared with its hashes. */
  unchecked?: boolean;
}

/** Rows of a file, and what it says of them. */
export interface ImportedSource extends RowSource {
  /** The file, or the folder of files. */
  readonly path: string;
  /** What a new dataset's manifest takes over. */
  readonly about: RowsAbout;
}

/** A column that is not a layer, and where it is in the table. */
export type PlacedField = ColumnField & { from: string | undefined };

/** The rows of a table, with the layers in columns of lists. Throws DatasetError. */
export async function tableSource(file: TableFile, options: ImportOptions = {}): Promise<ImportedSource> {
  const { header, about, files } = tableHeader(file, options);
  const names = file.schema.fields.map(({ name }) => name);
  for (const one of files) checkForm(one, names, writtenColumns(one.known?.header, options.map));
  const { layers, columns } = mapColumns(file, options.map ?? {}, header);
  if (layers.length === 0) throw noLayers(file);
  const form = await layerForm(file, layers, { options, header });
  const fields = await placedFields(file, columns);
  return importedSource(file, fields, {
    ...form,
    layers: layers.map(({ layer }) => layer),
    about,
    check: () => checkReading(files),
  });
}

/** What the files of a table say of their rows, and by what they are checked. Throws DatasetError where two of them disagree. */
export function tableHeader(
  { parts }: TableFile,
  { unchecked = false }: ImportOptions,
): { header: RowsHeader | undefined; about: RowsAbout; files: CheckedRows[] } {
  const files = parts.map((part) => ({ path: part.path, rows: part.rows, known: parseHeader(part) }));
  const [first] = files;
  const form = ({ known }: CheckedRows): string => {
    const { dtype, stored, hiddenSize, columns } = known?.header ?? {};
    return JSON.stringify([dtype, stored, hiddenSize, columns]);
  };
  const other = files.find((file) => form(file) !== form(first as CheckedRows));
  if (other !== undefined) {
    throw new DatasetError("file_invalid", {
      path: other.path,
      found: `other metadata ${headerKey} than the first file's`,
      expected: `rows of the same type and columns as in ${first?.path}`,
      advice: "Read the files one by one.",
    });
  }
  const headers = files.flatMap(({ known }) => known?.header ?? []);
  const about = headers.length > 0 ? commonAbout(headers.map(aboutOf)) : {};
  return { header: first?.known?.header, about, files: unchecked ? [] : files };
}

/** Columns that must be there, unless the map says which layers are wanted. */
function writtenColumns(header: RowsHeader | undefined, map: ColumnMap | undefined): string[] {
  if (header === undefined) return [];
  return [
    ...header.columns.map(({ name }) => name),
    ...(map?.layers === undefined ? header.layers.map(layerColumn) : []),
  ];
}

/** The rows of a table whose layers are read by `readLayer`. */
export function importedSource(
  file: TableFile,
  fields: readonly PlacedField[],
  rest: Pick<GroupedRows, "layers" | "hiddenSize" | "dtype" | "readLayer" | "check"> & {
    about: RowsAbout;
    path?: string;
  },
): ImportedSource {
  const { layers, hiddenSize, dtype, readLayer, check, about, path = file.path } = rest;
  const source = groupedSource({
    path,
    layers,
    hiddenSize,
    dtype,
    fields: fields.map(({ name, type, nullable, role }) => ({ name, type, nullable, role })),
    groups: file.groups.map(({ rows }) => rows),
    readColumn: (field, range, reading) =>
      readField(file, fields.find(({ name }) => name === field.name) as PlacedField, range, reading),
    readLayer,
    check,
  });
  return { ...source, path, about };
}

/** Columns with their types; those of whole numbers of up to 64 bits are read once to find a type that holds them (J3). */
export async function placedFields(
  file: TableFile,
  columns: readonly MappedColumn[],
): Promise<PlacedField[]> {
  const types = new Map<string, ColumnType>();
  for (const { name, type, from } of columns) {
    if (type !== "integers" || from === undefined) continue;
    const found: ReturnType<typeof integerType>[] = [];
    for (const [group, { rows }] of file.groups.entries()) {
      found.push(integerType([await readVector(file, from, { group, from: 0, to: rows })]));
    }
    types.set(name, found.includes("utf8") ? "utf8" : found.includes("float64") ? "float64" : "int32");
  }
  return withTypes(columns, types);
}

export function firstRow({ groups }: Pick<TableFile, "groups">, { group, from }: GroupRange): number {
  return groups.slice(0, group).reduce((sum, { rows }) => sum + rows, from);
}

async function readField(
  file: TableFile,
  field: PlacedField,
  range: GroupRange,
  reading: CheckedReading | undefined,
): Promise<ColumnValue[]> {
  const first = firstRow(file, range);
  if (field.from === undefined)
    return Array.from({ length: range.to - range.from }, (_, i) => String(first + i));
  const column = await readVector(file, field.from, range);
  try {
    const values = cellValues(column, field);
    reading?.cells(field.from, { first, rows: values.length }, (written) =>
      written.type === field.type ? values : cellValues(column, written),
    );
    return values;
  } catch (error) {
    if (!(error instanceof BadRow)) throw error;
    const expected = `${field.type} for the column ${JSON.stringify(field.name)}${field.nullable ? "" : ", never null"}`;
    const advice = "Mend that row, or choose another column in the map.";
    throw columnError(
      file.path,
      field.from,
      `${error.message} in row ${first + error.row}`,
      expected,
      advice,
    );
  }
}

/** One column of some rows of a group. */
async function readVector(file: TableFile, name: string, range: GroupRange): Promise<Vector> {
  const { group, from, to } = range;
  return readingFile(file.path, file.kind, async () => {
    const table = await file.read(group, { columns: [name], from, to });
    const column = table.getChild(name);
    const found = column?.length ?? 0;
    if (column === null || found !== to - from) {
      throw new LayoutError(`column ${JSON.stringify(name)} with ${found} values where ${to - from} are due`);
    }
    checkColumn(name, column);
    return column;
  });
}

async function layerForm(
  file: TableFile,
  layers: readonly { layer: number; from: string }[],
  { options, header }: { options: ImportOptions; header: LayerForm["header"] },
): Promise<Pick<GroupedRows, "hiddenSize" | "dtype" | "readLayer">> {
  const read = (name: string, range: GroupRange): Promise<Vector> => readVector(file, name, range);
  const reader = await layerReader({ file, layers, options, header, read });
  const { hiddenSize, dtype } = reader;
  const readLayer: GroupedRows["readLayer"] = async (layer, range, reading) => {
    const { from } = layers.find((place) => place.layer === layer) as { from: string };
    return reader.numbers(from, await read(from, range), firstRow(file, range), reading);
  };
  return { hiddenSize, dtype, readLayer };
}

function noLayers({ path, schema }: TableFile): DatasetError {
  return new DatasetError("no_such_layer", {
    path,
    found: `no column called layer_L; there are ${schema.fields.map(({ name }) => name).join(", ")}`,
    expected: "a column of lists of numbers for each layer",
    advice: 'Say in the map which column is which layer, such as layers: { 16: "embedding" }.',
  });
}
