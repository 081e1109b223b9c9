import { DatasetError } from "../dataset/dataset-error.ts";
import type { ColumnValue } from "../shards/column-field.ts";
import type { ImportedSource } from "./table-source.ts";

/**
 * The same rows, refused where those of an example do not follow each other, as in a file that was shuffled: what stands in an
 * example's first row only would belong to whatever follows it, and examples would be counted several times.
 */
export function wholeExamples(source: ImportedSource): ImportedSource {
  return {
    ...source,
    async *blocks(options) {
      const ended = new Set<ColumnValue>();
      let last: ColumnValue | undefined;
      let row = 0;
      for await (const block of source.blocks(options)) {
        for (const example of block.columns.get("example") ?? []) {
          if (example !== last) {
            if (last !== undefined) ended.add(last);
            if (ended.has(example)) throw parted(source.path, example, row);
            last = example;
          }
          row++;
        }
        yield block;
      }
    },
  };
}

function parted(path: string, example: ColumnValue, row: number): DatasetError {
  return new DatasetError("column_invalid", {
    path,
    found: `example ${JSON.stringify(example)} again in row ${row}, after rows of others`,
    expected: "the rows of an example one after the other",
    advice: "Sort the rows by example (and position), or say in the map which column is the example.",
  });
}
