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
  /** Also before the names of its groups. */
  prefixGroups: boolean;
}

/**
 * The rows of several sources below each other. Reads the example and group columns at once.
 * Throws DatasetError: `sources_differ` with the first difference, `example_clash` where an example id is in two of them.
 */
export async function appendRows(parts: readonly [AppendedPart, ...AppendedPart[]]): Promise<ViewParts> {
  const [first, ...others] = parts;
  for (const other of others) checkAgreement(first, other);
  const fields = unifyFields(parts);
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

/** Refuses an example id of two parts, and notes the groups that several parts share. */
async function compareExamples(parts: readonly AppendedPart[]): Promise<string[]> {
  const seen = new Map<ColumnValue, number>();
  const groups = new Map<ColumnValue, number>();
  const shared = new Set<ColumnValue>();
  for (const [index, part] of parts.entries()) {
    const begins = exampleOrder(part.lineage.name);
    for await (const block of pickAppended([part], { columns: ["example", "group"], layers: [] })) {
      for (const example of block.columns.get("example") ?? []) {
        if (!begins(example)) continue;
        const before = seen.get(example) ?? index;
        if (before !== index) throw clash(part, example, parts[before] as AppendedPart);
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

async function* pickAppended(parts: readonly AppendedPart[], request: RowRequest): AsyncGenerator<RowBlock> {
  const { rows } = request;
  let first = 0;
  let at = 0;
  for (const part of parts) {
    const { source } = part;
    const wanted = rows && rowsWithin(rows, { from: at, first, count: source.rows });
    first += source.rows;
    at += wanted?.length ?? 0;
    if (wanted?.length === 0) continue;
    const columns = request.columns.filter((name) => source.columns.includes(name));
    for await (const block of pickRows(source, { ...request, columns, ...(wanted && { rows: wanted }) })) {
      yield {
        ...block,
        columns: new Map(request.columns.map((name) => [name, valuesOf(part, block, name)])),
      };
    }
  }
}

function valuesOf(
  { prefix, prefixGroups }: AppendedPart,
  block: RowBlock,
  name: string,
): readonly ColumnValue[] {
  const values = block.columns.get(name);
  if (values === undefined) return Array.from({ length: block.rows }, () => null);
  const renamed = prefix !== "" && (name === "example" || (prefixGroups && name === "group"));
  return renamed ? values.map((value) => `${prefix}${String(value)}`) : values;
}
