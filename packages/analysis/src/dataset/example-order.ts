import type { ColumnValue } from "../shards/column-field.ts";
import { DatasetError } from "./dataset-error.ts";

/**
 * Follows the example ids of rows, and says of each row whether an example begins there. One whose rows do not follow each other, as
 * in a file that was shuffled, is refused: what stands in an example's first row only would belong to whatever follows it, and the
 * example would be counted several times. Throws DatasetError `column_invalid`.
 */
export function exampleOrder(path: string): (example: ColumnValue) => boolean {
  const seen = new Set<ColumnValue>();
  let last: ColumnValue | undefined;
  let row = -1;
  return (example) => {
    row++;
    if (example === last) return false;
    if (seen.has(example)) throw parted(path, example, row);
    seen.add(example);
    last = example;
    return true;
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

/** What a source is called in errors: its folder or file, where it has one. */
export function sourceName(source: object): string {
  const { path, lineage } = source as { path?: string; lineage?: { name: string } };
  return path ?? lineage?.name ?? "rows in memory";
}
