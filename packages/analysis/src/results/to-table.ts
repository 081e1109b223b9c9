import {
  Bool,
  Field,
  Float64,
  Int32,
  RecordBatch,
  Schema,
  Table,
  Utf8,
  vectorFromArray,
  type DataType,
} from "apache-arrow";
import { z } from "zod";
import { checkOptions } from "../options/check-options.ts";
import { resultKinds, type AnyResult, type ResultForm, type ResultKind } from "./result-kinds.ts";

export type Scalar = string | number | boolean | null;
/** A row: what the number is of, `metric`, and the number itself. */
export type Cells = Record<string, Scalar>;

/** Fields of a number with its interval, as columns. */
const measure = ["value", "low", "high", "n", "groups", "undefinedDraws", "reason"] as const;

/**
 * A result as an Arrow table: one row a number. `metric` is the number's place in the document (`layers.probes.score`), and columns before it say of
 * what it is (layer, probe, scale, …; `index` where a list's entries have no names of their own); `value`, `low` and `high` are null where it is undefined, with the `reason`. The table's metadata
 * hold `residua.kind`, `residua.schemaVersion` and the document's other plain fields, as JSON.
 * Throws InvalidRequestError on what is no result of this version.
 */
export function toTable(result: AnyResult): Table {
  const { kind } = checkOptions(kindSchema, result, "result", "result");
  const { keys }: ResultForm = resultKinds[kind];
  const checked: AnyResult = checkOptions<z.ZodType<AnyResult>>(
    resultKinds[kind].schema,
    result,
    "result",
    "result",
  );
  const rows = numberRows(checked, resultKinds[kind]);
  const used = [...keys, "index"].filter((key) => rows.some((row) => row[key] !== undefined));
  const columns = [...used, "metric", ...measure];
  const fields = columns.map((name) => new Field(name, typeOf(name, rows), true));
  const vectors = fields.map(({ name, type }) =>
    vectorFromArray(
      rows.map((row) => row[name] ?? null),
      type,
    ),
  );
  const schema = new Schema(fields, metadataOf(checked));
  const named = Object.fromEntries(fields.map(({ name }, i) => [name, vectors[i]!]));
  const { batches } = new Table(named);
  return new Table(batches.map(({ data }) => new RecordBatch(schema, data)));
}

/** Every number of a document with its place in it. Lists come first. A number with an interval has `low`. */
export function numberRows(document: object, { keys, along = {} }: Omit<ResultForm, "schema">): Cells[] {
  const rows: Cells[] = [];
  const to: Walk = { keys, rows, along: placesAlong(document, along) };
  for (const [name, value] of Object.entries(document) as [string, unknown][])
    if (isList(value)) walk(value, { path: name, context: {} }, to);
  for (const [name, value] of Object.entries(document) as [string, unknown][])
    if (isRecord(value)) walk(value, { path: name, context: contextOf(value, keys, {}) }, to);
  return rows;
}

const kindSchema = z.looseObject({ kind: z.enum(Object.keys(resultKinds) as [ResultKind]) });

interface Place {
  path: string;
  /** What the rows below are of. */
  context: Cells;
}

interface Walk {
  keys: readonly string[];
  rows: Cells[];
  /** By the path of a list: the column and what each entry has there. */
  along: ReadonlyMap<string, { column: string; places: readonly Scalar[] }>;
}

/** Every number below a value becomes a row. */
function walk(value: unknown, { path, context }: Place, to: Walk): void {
  if (isList(value)) {
    const contexts = entryContexts(value, { path, context }, to);
    value.forEach((item, i) => walk(item, { path, context: contexts[i]! }, to));
  } else if (isRecord(value)) {
    if ("value" in value && (typeof value["value"] === "number" || value["value"] === null)) {
      const numbers = Object.fromEntries(measure.map((name) => [name, (value[name] ?? null) as Scalar]));
      to.rows.push({ ...context, metric: path, ...numbers });
      return;
    }
    for (const [name, inner] of Object.entries(value)) {
      if (name in context && context[name] === inner) continue;
      walk(
        inner,
        { path: `${path}.${name}`, context: isRecord(inner) ? contextOf(inner, to.keys, context) : context },
        to,
      );
    }
  } else if (typeof value === "number" || value === null) {
    to.rows.push({ ...context, metric: path, value });
  }
}

/** What each entry of a list is called: by its keys, by the list that it goes along, or (where that does not tell entries apart) by its place. */
function entryContexts(list: readonly unknown[], { path, context }: Place, to: Walk): Cells[] {
  const along = to.along.get(path);
  const named = list.map((item, i) => {
    const own = along ? { ...context, [along.column]: along.places[i] ?? null } : context;
    return isRecord(item) ? contextOf(item, to.keys, own) : own;
  });
  const told = new Set(named.map((own) => JSON.stringify(own))).size === list.length;
  return told && (along || list.every(isRecord)) ? named : named.map((own, index) => ({ ...own, index }));
}

/** The lists that others go along: `{ "layers.scores": ["tokens", "position"] }`. */
function placesAlong(
  result: object,
  along: Readonly<Record<string, readonly [list: string, field: string]>>,
): Walk["along"] {
  return new Map(
    Object.entries(along).map(([path, [list, column]]) => {
      const entries = (result as Record<string, readonly Record<string, Scalar>[]>)[list]!;
      return [path, { column, places: entries.map((entry) => entry[column]!) }];
    }),
  );
}

/** The names that an object gives what is below it. */
function contextOf(value: Record<string, unknown>, keys: readonly string[], context: Cells): Cells {
  const own = keys.flatMap((key) => (isScalar(value[key]) ? [[key, value[key]] as const] : []));
  return own.length > 0 ? { ...context, ...Object.fromEntries(own) } : context;
}

function typeOf(name: string, rows: readonly Cells[]): DataType {
  if (name === "metric" || name === "reason") return new Utf8();
  if (["n", "groups", "undefinedDraws", "index", "layer", "position"].includes(name)) return new Int32();
  if (["value", "low", "high"].includes(name)) return new Float64();
  const values = rows.map((row) => row[name]).filter((value) => value !== undefined && value !== null);
  if (values.every((value) => typeof value === "number")) return new Float64();
  return values.every((value) => typeof value === "boolean") ? new Bool() : new Utf8();
}

/** The plain fields of the document and its lists of words. */
function metadataOf(result: AnyResult): Map<string, string> {
  const plain = Object.entries(result).filter(
    ([, value]) =>
      isScalar(value) || value === null || (isList(value) && value.every((each) => typeof each === "string")),
  );
  return new Map(
    plain.map(([name, value]) => [
      `residua.${name}`,
      typeof value === "string" ? value : JSON.stringify(value),
    ]),
  );
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}
