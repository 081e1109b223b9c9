import { z } from "zod";
import type { ColumnValue } from "../../shards/column-field.ts";
import type { RowBlock } from "../../shards/row-block.ts";
import { DatasetError } from "../dataset-error.ts";
import { missingColumn } from "../missing-column.ts";
import type { RowRequest } from "../row-source.ts";
import { eachExampleRow } from "./example-runs.ts";
import { joinTable, type JoinRow, type JoinTable } from "./join-table.ts";
import { pickRows } from "./pick-rows.ts";
import { badOption, checkViewOptions, nextStep, type ViewParts } from "./view-parts.ts";
import { pickedSource } from "../picked-source.ts";

export interface JoinOptions {
  /** The column that both have. Default: `example`. */
  on?: string;
  /** Which of the table's columns are labels; the others are extra columns. */
  labels?: readonly string[];
  /** Rows whose key the table lacks: refused, or null in the new columns. Default: `refuse`. */
  unmatched?: "refuse" | "null";
  /** Keys that stand in several rows of the table: refused, or null in the new columns. Default: `refuse`. */
  repeated?: "refuse" | "null";
  /** Keys of the table that no row has: refused, or passed over. Default: `ignore`, and a note counts them. */
  unused?: "refuse" | "ignore";
}

const refuseOrNull = z.enum(["refuse", "null"]).optional();
const schema = {
  on: z.string().optional(),
  labels: z.array(z.string()).optional(),
  unmatched: refuseOrNull,
  repeated: refuseOrNull,
  unused: z.enum(["refuse", "ignore"]).optional(),
};

/** No row of the table. */
const none = 0xffff_ffff;

/**
 * Adds the columns of a table to the rows with the same key. Reads the key column at once.
 * Throws DatasetError `join_mismatch`, which counts what does not fit, and InvalidRequestError.
 */
export async function joinRows(
  { source, lineage }: ViewParts,
  table: readonly JoinRow[],
  options: JoinOptions,
): Promise<ViewParts> {
  checkViewOptions("join", options, schema);
  const {
    on = "example",
    labels = [],
    unmatched = "refuse",
    repeated = "refuse",
    unused = "ignore",
  } = options;
  if (!source.columns.includes(on)) throw missingColumn(lineage.name, on, source.fields);
  const right = joinTable(table, { on, labels });
  const clash = right.fields.find(({ name }) => source.columns.includes(name));
  if (clash)
    throw badOption(
      "join.rows",
      `column ${clash.name}, which the rows have already`,
      "columns of other names",
    );
  const refuse = (found: string, expected: string, option: string): DatasetError =>
    new DatasetError("join_mismatch", {
      path: lineage.name,
      found,
      expected,
      advice: `Mend the table, or join with ${option}.`,
    });
  if (right.repeated.size > 0 && repeated === "refuse")
    throw refuse(
      `${listed([...right.repeated.keys()])} in several rows of the table`,
      `each ${on} once`,
      'repeated: "null"',
    );
  const { entries, missing, used } = await matchRows({ source, lineage }, on, right);
  if (missing.rows > 0 && unmatched === "refuse")
    throw refuse(
      `${missing.rows} of ${source.rows} rows without a partner: ${listed([...missing.keys])}`,
      `every ${on} in the table`,
      'unmatched: "null"',
    );
  const idle = [...right.at.keys()].filter((key) => !used.has(key));
  if (idle.length > 0 && unused === "refuse")
    throw refuse(`${listed(idle)} of the table in no row`, `only keys that some row has`, 'unused: "ignore"');
  const anyNull = entries.includes(none);
  const names = right.fields.map(({ name }) => name);
  const fields = [
    ...source.fields,
    ...right.fields.map((field) => ({ ...field, nullable: field.nullable || anyNull })),
  ];
  const notes = [
    ...(missing.rows > 0
      ? [`join by ${on}: ${missing.rows} of ${source.rows} rows found no partner and have null`]
      : []),
    ...(right.repeated.size > 0
      ? [`join by ${on}: ${right.repeated.size} keys stand in several rows of the table and gave null`]
      : []),
    ...(idle.length > 0 ? [`join by ${on}: ${idle.length} keys of the table are in no row`] : []),
  ];
  return {
    source: pickedSource(lineage.name, { ...source, fields }, (request) =>
      pickJoined({ source, right, entries }, request),
    ),
    lineage: nextStep(lineage, { how: `join ${names.join(", ")} by ${on}`, from: [right.sha256], notes }),
  };
}

interface Matches {
  /** For each row its row in the table, or `none`. */
  entries: Uint32Array;
  missing: { rows: number; keys: Set<ColumnValue> };
  used: Set<ColumnValue>;
}

async function matchRows({ source, lineage }: ViewParts, on: string, right: JoinTable): Promise<Matches> {
  const entries = new Uint32Array(source.rows).fill(none);
  const missing = { rows: 0, keys: new Set<ColumnValue>() };
  const used = new Set<ColumnValue>();
  for await (const { row, values } of eachExampleRow(source, [on], lineage.name)) {
    const key = values[0] as ColumnValue;
    const at = right.at.get(key);
    if (at === undefined) {
      missing.rows++;
      missing.keys.add(key);
      continue;
    }
    used.add(key);
    if (!right.repeated.has(key)) entries[row] = at;
  }
  return { entries, missing, used };
}

async function* pickJoined(
  { source, right, entries }: Pick<ViewParts, "source"> & { right: JoinTable; entries: Uint32Array },
  request: RowRequest,
): AsyncGenerator<RowBlock> {
  const added = request.columns.filter((name) => right.columns.has(name));
  const columns = request.columns.filter((name) => !right.columns.has(name));
  let at = 0;
  for await (const block of pickRows(source, { ...request, columns })) {
    const places = Array.from(
      { length: block.rows },
      (_, i) => entries[request.rows ? (request.rows[at + i] as number) : at + i] as number,
    );
    at += block.rows;
    const made = added.map((name) => {
      const values = right.columns.get(name) as readonly ColumnValue[];
      return [name, places.map((place) => (place === none ? null : (values[place] as ColumnValue)))] as const;
    });
    yield { ...block, columns: new Map([...block.columns, ...made]) };
  }
}

/** `"a", "b", "c" and 4 more`. */
function listed(keys: readonly ColumnValue[]): string {
  const shown = keys
    .slice(0, 3)
    .map((key) => JSON.stringify(key))
    .join(", ");
  return keys.length > 3 ? `${shown} and ${keys.length - 3} more` : shown;
}
