import type { DataType, Field } from "apache-arrow";
import { InvalidRequestError } from "@residua/lens";
import { DatasetError } from "../dataset/dataset-error.ts";
import { isReserved, standardColumns, type ColumnField, type ColumnType } from "../shards/column-field.ts";
import { cellType, type CellType } from "./cell-values.ts";
import { columnError } from "./convert-errors.ts";
import { listItem } from "./list-numbers.ts";
import type { RowsHeader } from "./rows-header.ts";
import type { TableFile } from "./table-file.ts";

type StandardColumn = keyof typeof standardColumns;

/** Which column of a foreign file is what. A column that is not named here keeps its name as an extra column. */
export interface ColumnMap extends Partial<Record<StandardColumn, string>> {
  /** Column of each layer. Default: those called `layer_L`. */
  layers?: Readonly<Record<number, string>>;
  /** Columns that are labels. */
  labels?: readonly string[];
  /** Columns that are not taken. */
  leaveOut?: readonly string[];
}

/** A column as it will be, and where it is in the file: undefined stands for the number of the row. */
export interface MappedColumn extends Omit<ColumnField, "type"> {
  type: CellType;
  from: string | undefined;
}

export interface MappedColumns {
  layers: { layer: number; from: string }[];
  columns: MappedColumn[];
}

const standardNames = Object.keys(standardColumns) as StandardColumn[];

/** Says what each column of a file is: as the map says, else as the header says, else by name and type. Throws DatasetError. */
export function mapColumns(file: TableFile, map: ColumnMap, header: RowsHeader | undefined): MappedColumns {
  const fields = new Map(file.schema.fields.map((field) => [field.name, field]));
  checkMap(file, map, fields);
  const layers = layerColumns(map, fields);
  const named = new Set([...layers.map(({ from }) => from), ...(map.leaveOut ?? [])]);
  const standard = new Map<string, MappedColumn>();
  for (const name of standardNames) {
    const from = map[name] ?? (fields.has(name) && !named.has(name) ? name : undefined);
    if (from === undefined) continue;
    checkType(file, fields.get(from) as Field);
    standard.set(name, { ...(knownField(name, header) ?? standardColumns[name]), from });
    // One column may give both the example and its group.
    named.add(from);
  }
  const others = [...fields.values()]
    .filter(({ name }) => !named.has(name))
    .map((field) => other(file, field, map, header));
  const ofRow = { from: standard.get("example")?.from };
  const { example, group } = standardColumns;
  const columns = [
    standard.get("example") ?? { ...example, ...ofRow },
    standard.get("group") ?? { ...group, ...ofRow },
    ...[standard.get("split") ?? []].flat(),
    ...others,
    ...standardNames.slice(3).flatMap((name) => standard.get(name) ?? []),
  ];
  return { layers, columns: inHeaderOrder(columns, header) };
}

function knownField(name: string, header: RowsHeader | undefined): ColumnField | undefined {
  return header?.columns.find((field) => field.name === name);
}

function layerColumns(map: ColumnMap, fields: ReadonlyMap<string, Field>): MappedColumns["layers"] {
  const stated = Object.entries(map.layers ?? {}).map(([layer, from]) => ({ layer: Number(layer), from }));
  const called = [...fields.keys()].flatMap((from) => {
    const layer = /^layer_(-1|\d{1,6})$/.exec(from)?.[1];
    return layer === undefined || map.leaveOut?.includes(from) ? [] : [{ layer: Number(layer), from }];
  });
  return (map.layers ? stated : called).sort((a, b) => a.layer - b.layer);
}

function other(file: TableFile, field: Field, map: ColumnMap, header: RowsHeader | undefined): MappedColumn {
  const { name } = field;
  const known = knownField(name, header);
  const label = map.labels?.includes(name) === true;
  if (known !== undefined && known.role !== "standard") {
    return { ...known, ...(label && { role: "label" as const }), from: name };
  }
  if (isReserved(name)) {
    const expected = "another name, since a dataset's own column is called so";
    throw columnError(
      file.path,
      name,
      "is not mapped",
      expected,
      `${leaveOut(name)}, or say in the map what it is.`,
    );
  }
  const kept = checkType(file, field);
  return { name, type: kept, nullable: true, role: label ? "label" : "extra", from: name };
}

/** How the cells of a column are kept. Throws DatasetError of a type that a dataset has no column for. */
function checkType({ path }: TableFile, { name, type }: Field): CellType {
  const kept = cellType(type as DataType);
  if (kept !== undefined) return kept;
  const hint = listItem(type as DataType)
    ? `, or say which layer it is (layers: { 0: ${JSON.stringify(name)} })`
    : "";
  throw columnError(
    path,
    name,
    `is of type ${String(type)}`,
    "texts, true and false, numbers or lists of whole numbers",
    `${leaveOut(name)}${hint}.`,
  );
}

function leaveOut(name: string): string {
  return `Leave it out (leaveOut: [${JSON.stringify(name)}])`;
}

function inHeaderOrder(columns: MappedColumn[], header: RowsHeader | undefined): MappedColumn[] {
  if (header === undefined) return columns;
  const place = ({ name }: MappedColumn): number => {
    const at = header.columns.findIndex((field) => field.name === name);
    return at < 0 ? header.columns.length : at;
  };
  return [...columns].sort((a, b) => place(a) - place(b));
}

function checkMap({ path, kind }: TableFile, map: ColumnMap, fields: ReadonlyMap<string, Field>): void {
  for (const layer of Object.keys(map.layers ?? {})) {
    if (/^(-1|\d{1,6})$/.test(layer)) continue;
    const issue = {
      field: "map.layers",
      given: JSON.stringify(layer),
      allowed: "-1 and whole numbers from 0",
    };
    throw new InvalidRequestError([issue], "map");
  }
  const { layers = {}, labels = [], leaveOut = [], ...standard } = map;
  for (const name of [...Object.values(layers), ...labels, ...leaveOut, ...Object.values(standard)]) {
    if (fields.has(name)) continue;
    throw new DatasetError("no_such_column", {
      path,
      found: `column ${JSON.stringify(name)} in the map`,
      expected: `one of the ${kind} file's: ${[...fields.keys()].join(", ")}`,
      advice: "Correct the map.",
    });
  }
}

/** The columns of a foreign file whose whole numbers must be looked at before it is known what holds them. */
export function withTypes(
  columns: readonly MappedColumn[],
  typeOf: ReadonlyMap<string, ColumnType>,
): (ColumnField & { from: string | undefined })[] {
  return columns.map((column) => ({
    ...column,
    type: typeOf.get(column.name) ?? (column.type as ColumnType),
  }));
}
