import { blockRows, ranges } from "../dataset/block-rows.ts";
import { pickedSource } from "../dataset/picked-source.ts";
import type { RowRequest, RowSource } from "../dataset/row-source.ts";
import { pickNumbers, pickValues, rowsWithin } from "../dataset/views/pick-block.ts";
import type { ColumnField, ColumnValue } from "../shards/column-field.ts";
import type { CheckedReading } from "./rows-check.ts";
import type { RowBlock } from "../shards/row-block.ts";
import { makeNumbers, type RowNumbers } from "../shards/row-dtype.ts";

/** Rows of one group: `from` to `to` − 1. */
export interface GroupRange {
  group: number;
  from: number;
  to: number;
}

/** Rows in groups, such as the row groups of a Parquet file, and how a part of one is read. */
export interface GroupedRows extends Pick<RowSource, "layers" | "hiddenSize" | "dtype" | "fields"> {
  /** For messages. */
  path: string;
  /** Rows of each group. */
  groups: readonly number[];
  readColumn(field: ColumnField, range: GroupRange, reading?: CheckedReading): Promise<ColumnValue[]>;
  /** `[to − from, hiddenSize]`, in memory of its own. */
  readLayer(layer: number, range: GroupRange, reading?: CheckedReading): Promise<RowNumbers<ArrayBuffer>>;
  /** Begins to check what is read, where all rows are. */
  check?: (() => CheckedReading) | undefined;
}

/** A row source that reads group by group, and of a large group a part at a time; groups without wanted rows are passed over. */
export function groupedSource(grouped: GroupedRows): RowSource {
  const { path, groups, layers, hiddenSize, dtype, fields } = grouped;
  const rows = groups.reduce((sum, size) => sum + size, 0);
  return pickedSource(path, { rows, layers, hiddenSize, dtype, fields }, (request) =>
    pickGroups(grouped, request),
  );
}

async function* pickGroups(grouped: GroupedRows, request: RowRequest): AsyncGenerator<RowBlock> {
  const { fields, hiddenSize, dtype } = grouped;
  const { rows, layers } = request;
  const columns = request.columns.map((name) => fields.find((field) => field.name === name) as ColumnField);
  // Of columns alone a group is read at once: a part of it takes as long.
  const most = blockRows(grouped, request, Number.POSITIVE_INFINITY);
  const isWhole = rows === undefined || rows.length === grouped.groups.reduce((sum, size) => sum + size, 0);
  const reading = isWhole ? grouped.check?.() : undefined;
  let at = 0;
  for (const { first, ...range } of groupRanges(grouped.groups, most)) {
    const count = range.to - range.from;
    const wanted = rows && rowsWithin(rows, { from: at, first, count });
    if (wanted?.length === 0) continue;
    at += wanted?.length ?? 0;
    const cells = new Map<string, ColumnValue[]>();
    for (const field of columns)
      cells.set(field.name, pickValues(await grouped.readColumn(field, range, reading), wanted));
    const numbers: RowNumbers[] = [];
    for (const layer of layers) {
      const read = await grouped.readLayer(layer, range, reading);
      const into = wanted && makeNumbers(dtype, wanted.length * hiddenSize);
      numbers.push(into ? pickNumbers(read, wanted, into, hiddenSize) : read);
    }
    yield { rows: wanted?.length ?? count, columns: cells, layers: numbers };
  }
}

function* groupRanges(groups: readonly number[], most: number): Generator<GroupRange & { first: number }> {
  let before = 0;
  for (const [group, size] of groups.entries()) {
    for (const { from, to } of ranges(size, most)) yield { group, from, to, first: before + from };
    before += size;
  }
}
