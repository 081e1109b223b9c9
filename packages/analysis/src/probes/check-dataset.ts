import { z } from "zod";
import { checkOptions } from "../options/check-options.ts";

const functionOf = (of: string) => z.custom((value) => typeof value === "function", `a function of ${of}`);
const shape = {
  rows: z.int().min(0),
  hiddenSize: z.int().min(1),
  layers: z.array(z.int()).readonly(),
  columns: z.array(z.string()).readonly(),
  column: functionOf("a column's name"),
  layer: functionOf("a layer's number"),
};
export type DatasetField = keyof typeof shape;

/** That a dataset, a view, or what stands for one has these fields. Throws InvalidRequestError. */
export function checkDataset(
  dataset: unknown,
  what: string,
  fields: readonly DatasetField[] = ["rows", "hiddenSize", "layers", "columns", "column", "layer"],
): void {
  const needed = Object.fromEntries(fields.map((field) => [field, shape[field]]));
  checkOptions(z.looseObject(needed), dataset, `${what} dataset`, "dataset");
}
