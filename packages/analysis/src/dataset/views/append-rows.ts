import type { ColumnValue } from "../../shards/column-field.ts";
import type { RowBlock } from "../../shards/row-block.ts";
import { DatasetError } from "../dataset-error.ts";
import { exampleOrder } from "../example-order.ts";
import type { RowRequest } from "../row-source.ts";
import { checkAgreement, commonAbout, unifyFields } from "./agree.ts";
import { rowsWithin } from "./pick-block.ts";
import { pickRows } from "./pick-rows.ts";
import type { ViewLineage, ViewParts } from "./view-parts.ts";
import { pickedSource } from "../picked-source.ts";

/** Rows that go below others. */
export interface AppendedPart extends ViewParts {
  /** Put before the ids of its examples. */
  prefix: string;
  /** Also before the names of its groups. Without it, only of those that are one example of the same name: no group was given. */
  prefixGroups: boolean;
}

interface PlacedPart extends AppendedPart {
  /** Groups of the name of an example that other examples have, too: they were given, and keep their names. */
  given: ReadonlySet<ColumnValue>;
}

/**
 * The rows of several sources below each other. Reads the example and group columns at once.
 * Throws DatasetError: `sources_differ` with the first difference, `example_clash` where an example id is in two of them.
 */
export async function appendRows(appended: readonly [AppendedPart, ...AppendedPart[]]): Promise<ViewParts> {
  const [first, ...others] = appended;
  for (const other of others) checkAgreement(first, other);
  const fields = unifyFields(appended);
  const parts: PlacedPart[] = [];
  for (const part of appended) parts.push({ ...part, given: await givenGroups(part) });
  const notes = await compareExamples(parts);
  const rows = parts.reduce((sum, { source }) => sum + source.rows, 0);
  const lineages = parts.map(({ lineage }) => lineage);
  const added = others.map(({ source, prefix, lineage: { how } }) => {
    const before = how.length > 0 ? ` (${how.join("; ")})` : "";
    return `append ${source.rows} rows${before}${prefix && ` with ids ${JSON.stringify(prefix)}…`}`;
  });
  const lineage: ViewLineage = {
    name: first.lineage.name,
    how: [...first.lineage.how, ...added],
    from: [...new Set(lineages.flatMap(({ from }) => from))],
    about: commonAbout(lineages.map(({ about }) => about)),
    notes: [...lineages.flatMap((one) => one.notes), ...notes],
  };
  const pick = (request: RowRequest): AsyncGenerator<RowBlock> => pickAppended(parts, request);
  return { source: pickedSource(first.lineage.name, { ...first.source, rows, fields }, pick), lineage };
}

/** Nothing is read where no group's name depends on it. */
async function givenGroups({ source, prefix, prefixGroups }: AppendedPart): Promise<Set<ColumnValue>> {
  const given = new Set<ColumnValue>();
  if (prefix === "" || prefixGroups) return given;
  for await (const { columns } of pickRows(source, { columns: ["example", "group"], layers: [] })) {
    const examples = columns.get("example") ?? [];
    for (const [i, group] of (columns.get("group") ?? []).entries())
      if (group !== examples[i]) given.add(group);
  }
  return given;
}

/** Refuses an example id of two parts, and notes the groups that several parts share. */
async function compareExamples(parts: readonly PlacedPart[]): Promise<string[]> {
  const seen = new Map<ColumnValue, number>();
  const groups = new Map<ColumnValue, number>();
  const shared = new Set<ColumnValue>();
  for (const [index, part] of parts.entries()) {
    const begins = exampleOrder(part.lineage.name);
    for await (const block of pickAppended([part], { columns: ["example", "group"], layers: [] })) {
      for (const example of block.columns.get("example") ?? []) {
        if (!begins(example)) continue;
        const before = seen.get(example) ?? index;
        if (before !== index) throw clash(part, example, parts[before] as PlacedPart);
        seen.set(example, index);
      }
      for (const group of block.columns.get("group") ?? []) {
        if ((groups.get(group) ?? index) !== index) shared.add(group);
        else groups.set(group, index);
      }
    }
  }
  if (shared.size === 0) return [];
  return [`append: ${shared.size} groups are in several of the sources, and are one group each`];
}

function clash({ lineage }: AppendedPart, example: ColumnValue, other: AppendedPart): DatasetError {
  return new DatasetError("example_clash", {
    path: lineage.name,
    found: `example ${JSON.stringify(example)}, which is also in ${other.lineage.name}`,
    expected: "examples of other ids",
    advice: "Put a prefix before its ids (append: prefix; merge: prefix: true), or filter the example out.",
  });
}

async function* pickAppended(parts: readonly PlacedPart[], request: RowRequest): AsyncGenerator<RowBlock> {
  const { rows } = request;
  let first = 0;
  let at = 0;
  for (const part of parts) {
    const { source } = part;
    const wanted = rows && rowsWithin(rows, { from: at, first, count: source.rows });
    first += source.rows;
    at += wanted?.length ?? 0;
    if (wanted?.length === 0) continue;
    const needed = request.columns.includes("group") ? [...request.columns, "example"] : request.columns;
    const columns = [...new Set(needed)].filter((name) => source.columns.includes(name));
    for await (const block of pickRows(source, { ...request, columns, ...(wanted && { rows: wanted }) })) {
      yield {
        ...block,
        columns: new Map(request.columns.map((name) => [name, valuesOf(part, block, name)])),
      };
    }
  }
}

function valuesOf(
  { prefix, prefixGroups, given }: PlacedPart,
  block: RowBlock,
  name: string,
): readonly ColumnValue[] {
  const values = block.columns.get(name);
  if (values === undefined) return Array.from({ length: block.rows }, () => null);
  if (prefix === "" || (name !== "example" && name !== "group")) return values;
  const examples = block.columns.get("example") ?? [];
  const isRenamed = (value: ColumnValue, row: number): boolean =>
    name === "example" || prefixGroups || (value === examples[row] && !given.has(value));
  return values.map((value, row) => (isRenamed(value, row) ? `${prefix}${String(value)}` : value));
}
