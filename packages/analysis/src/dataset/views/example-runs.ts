import { exampleColumns, type ColumnValue } from "../../shards/column-field.ts";
import { exampleOrder, sourceName } from "../example-order.ts";
import type { RowSource } from "../row-source.ts";
import { pickRows } from "./pick-rows.ts";

/** Whether only the first row of an example has this column's value. */
export function isExampleColumn(name: string): boolean {
  return exampleColumns.includes(name);
}

/** One row's place and the values asked for. */
export interface ExampleRow {
  row: number;
  /** First row of its example: of the run of rows with one example id. */
  start: number;
  /** In the order of the columns asked for; what stands in an example's first row counts for all its rows. */
  values: readonly ColumnValue[];
}

/** Walks over all rows and reads these columns only. Throws DatasetError where the rows of an example are not together. */
export async function* eachExampleRow(
  source: RowSource,
  columns: readonly string[],
  name = sourceName(source),
): AsyncGenerator<ExampleRow> {
  const ofExample = columns.map(isExampleColumn);
  const asked = [...new Set(["example", ...columns])];
  let row = 0;
  let start = 0;
  const begins = exampleOrder(name);
  let held: readonly ColumnValue[] = [];
  for await (const block of pickRows(source, { columns: asked, layers: [] })) {
    const examples = block.columns.get("example") ?? [];
    const read = columns.map((name) => block.columns.get(name) ?? []);
    for (let i = 0; i < block.rows; i++, row++) {
      const values = read.map((column) => column[i] as ColumnValue);
      if (begins(examples[i] as ColumnValue)) {
        start = row;
        held = values;
      }
      yield {
        row,
        start,
        values: values.map((value, c) => (ofExample[c] ? (held[c] as ColumnValue) : value)),
      };
    }
  }
}
