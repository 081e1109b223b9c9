import type { ColumnValue } from "../../shards/column-field.ts";
import type { RowBlock } from "../../shards/row-block.ts";
import type { RowRequest, RowSource } from "../row-source.ts";
import { eachExampleRow, isExampleColumn } from "./example-runs.ts";
import { gather } from "./pick-block.ts";
import { pickRows } from "./pick-rows.ts";
import type { RowCondition } from "./row-condition.ts";
import { badOption, nextStep, type ViewParts } from "./view-parts.ts";
import { pickedSource } from "../picked-source.ts";

/** Not the first kept row of its example. */
const later = 0xffff_ffff;

interface KeptRows {
  /** Row numbers in the base, ascending. */
  rows: Uint32Array;
  /**
   * For the first kept row of an example, the example's first row in the base; `later` for its other rows. Left out where every
   * example keeps its first row.
   */
  starts?: Uint32Array;
}

/** The rows that meet a condition, which reads its columns at once; everything else is read when it is asked for. */
export async function filterRows(
  { source, lineage }: ViewParts,
  condition: RowCondition,
): Promise<ViewParts> {
  const kept: number[] = [];
  const starts: number[] = [];
  let last = -1;
  for await (const { row, start, values } of eachExampleRow(source, condition.columns, lineage.name)) {
    if (!condition.test(values)) continue;
    kept.push(row);
    starts.push(start === last ? later : start);
    last = start;
  }
  const moved = starts.some((start, i) => start !== later && start !== kept[i]);
  const rows = { rows: Uint32Array.from(kept), ...(moved && { starts: Uint32Array.from(starts) }) };
  return keepRows({ source, lineage }, rows, condition.how);
}

/** The first rows. */
export function takeRows({ source, lineage }: ViewParts, count: number): ViewParts {
  if (!Number.isInteger(count) || count < 0) throw badOption("take", String(count), "a whole number of rows");
  const rows = Uint32Array.from({ length: Math.min(count, source.rows) }, (_, row) => row);
  return keepRows({ source, lineage }, { rows }, `take ${count} rows`);
}

function keepRows({ source, lineage }: ViewParts, kept: KeptRows, how: string): ViewParts {
  const pick = (request: RowRequest): AsyncGenerator<RowBlock> => pickKept(source, kept, request);
  const step = nextStep(lineage, { how });
  return { source: pickedSource(lineage.name, { ...source, rows: kept.rows.length }, pick), lineage: step };
}

async function* pickKept(source: RowSource, kept: KeptRows, request: RowRequest): AsyncGenerator<RowBlock> {
  const rows = gather(kept.rows, request.rows);
  const carried = kept.starts ? request.columns.filter(isExampleColumn) : [];
  const columns = request.columns.filter((name) => !carried.includes(name));
  const blocks = pickRows(source, { ...request, rows, columns });
  if (kept.starts === undefined || carried.length === 0) {
    yield* blocks;
    return;
  }
  // An example's values stand in its first row, which may not be kept: they are read from there for the first row that is.
  const starts = gather(kept.starts, request.rows);
  const values = eachValues(
    source,
    carried,
    starts.filter((start) => start !== later),
  );
  try {
    let at = 0;
    for await (const block of blocks) {
      const made = carried.map(() => Array.from({ length: block.rows }, (): ColumnValue => null));
      for (let i = 0; i < block.rows; i++, at++) {
        if (starts[at] === later) continue;
        const next = await values.next();
        if (!next.done) next.value.forEach((value, c) => ((made[c] as ColumnValue[])[i] = value));
      }
      const both = [...block.columns, ...carried.map((name, c) => [name, made[c] as ColumnValue[]] as const)];
      yield { ...block, columns: new Map(both) };
    }
  } finally {
    await values.return();
  }
}

/** Values of some columns, row by row. */
async function* eachValues(
  source: RowSource,
  columns: readonly string[],
  rows: Uint32Array,
): AsyncGenerator<ColumnValue[], void> {
  for await (const block of pickRows(source, { rows, columns, layers: [] })) {
    const read = columns.map((name) => block.columns.get(name) ?? []);
    for (let i = 0; i < block.rows; i++) yield read.map((column) => column[i] as ColumnValue);
  }
}
