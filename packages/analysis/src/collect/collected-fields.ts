import type { CheckedExamples } from "../examples/example.ts";
import { exampleFields } from "../examples/example-fields.ts";
import { standardColumns, type ColumnField } from "../shards/column-field.ts";

/** The columns of a dataset that is collected: those of its examples, and the hash by which rows are used again. */
export function collectedFields(checked: CheckedExamples): ColumnField[] {
  return [...exampleFields(checked), standardColumns.content_hash];
}
