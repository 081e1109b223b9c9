import { datasetFields, type ColumnField } from "../shards/column-field.ts";
import type { CheckedExamples } from "./example.ts";

/** The columns of a dataset that is made of these examples. */
export function exampleFields({ labels, extra, nullable }: CheckedExamples): ColumnField[] {
  const of = (types: Readonly<Record<string, ColumnField["type"]>>, role: "label" | "extra"): ColumnField[] =>
    Object.entries(types).map(([name, type]) => ({ name, type, nullable: nullable.includes(name), role }));
  return datasetFields([...of(labels, "label"), ...of(extra, "extra")]);
}
