import type { ColumnValue } from "../shards/column-field.ts";
import { sliceBlock, type RowBlock } from "../shards/row-block.ts";
import { exampleOrder, sourceName } from "./example-order.ts";
import type { RowSource } from "./row-source.ts";

/** The rows of whole examples, for one shard. */
export interface ExampleRuns {
  /** Place among the shards, 0-based. */
  index: number;
  /** Examples before it. */
  firstExample: number;
  examples: number;
  rows: number;
  blocks: RowBlock[];
}

/**
 * Cuts the rows of a source between examples: `most` rows, or a few more where an example goes on. Throws DatasetError where the rows of
 * an example are not together.
 */
export async function* exampleRuns(
  source: Pick<RowSource, "blocks">,
  most: number,
): AsyncGenerator<ExampleRuns> {
  let runs: ExampleRuns = { index: 0, firstExample: 0, examples: 0, rows: 0, blocks: [] };
  const begins = exampleOrder(sourceName(source));
  for await (const block of source.blocks({ rows: most })) {
    const names = block.columns.get("example") ?? [];
    let from = 0;
    for (let row = 0; row < block.rows; row++) {
      if (!begins(names[row] as ColumnValue)) continue;
      const held = runs.rows + row - from;
      if (held >= most) {
        if (row > from) runs.blocks.push(sliceBlock(block, from, row));
        yield { ...runs, rows: held };
        const { index, firstExample, examples } = runs;
        runs = { index: index + 1, firstExample: firstExample + examples, examples: 0, rows: 0, blocks: [] };
        from = row;
      }
      runs.examples++;
    }
    if (from < block.rows) runs.blocks.push(sliceBlock(block, from, block.rows));
    runs.rows += block.rows - from;
  }
  if (runs.rows > 0) yield runs;
}
