import type { Vector } from "apache-arrow";
import { DatasetError } from "../dataset/dataset-error.ts";
import type { RowSource } from "../dataset/row-source.ts";
import type { ColumnField, ColumnType, ColumnValue } from "../shards/column-field.ts";
import type { RowDtype, RowNumbers } from "../shards/row-dtype.ts";
import { LayoutError } from "../files/file-read.ts";
import { BadRow } from "./bad-row.ts";
import { cellValues, integerType } from "./cell-values.ts";
import { checkColumn } from "./check-data.ts";
import { mapColumns, withTypes, type ColumnMap, type MappedColumn } from "./column-map.ts";
import { columnError, readingFile } from "./convert-errors.ts";
import { groupedSource, type GroupedRows, type GroupRange } from "./grouped-source.ts";
import { layerReader, type LayerForm } from "./layer-reader.ts";
import { aboutOf, parseHeader, type RowsAbout } from "./rows-header.ts";
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
  const header = parseHeader(file.metadata, file.path);
  const { layers, columns } = mapColumns(file, options.map ?? {}, header);
  if (layers.length === 0) throw noLayers(file);
  const form = await layerForm(file, layers, { options, header });
  const fields = await placedFields(file, columns);
  return importedSource(file, fields, {
    ...form,
    layers: layers.map(({ layer }) => layer),
    about: header ? aboutOf(header) : {},
  });
}

/** The rows of a table whose layers are read by `readLayer`. */
export function importedSource(
  file: TableFile,
  fields: readonly PlacedField[],
  rest: Pick<GroupedRows, "layers" | "hiddenSize" | "dtype" | "readLayer"> & {
    about: RowsAbout;
    path?: string;
  },
): ImportedSource {
  const { layers, hiddenSize, dtype, readLayer, about, path = file.path } = rest;
  const source = groupedSource({
    path,
    layers,
    hiddenSize,
    dtype,
    fields: fields.map(({ name, type, nullable, role }) => ({ name, type, nullable, role })),
    groups: file.groups.map(({ rows }) => rows),
    readColumn: (field, range) =>
      readField(file, fields.find(({ name }) => name === field.name) as PlacedField, range),
    readLayer,
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

async function readField(file: TableFile, field: PlacedField, range: GroupRange): Promise<ColumnValue[]> {
  const first = firstRow(file, range);
  if (field.from === undefined)
    return Array.from({ length: range.to - range.from }, (_, i) => String(first + i));
  const column = await readVector(file, field.from, range);
  try {
    return cellValues(column, field);
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
  const readLayer = async (layer: number, range: GroupRange): Promise<RowNumbers<ArrayBuffer>> => {
    const { from } = layers.find((place) => place.layer === layer) as { from: string };
    return reader.numbers(from, await read(from, range), firstRow(file, range));
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
