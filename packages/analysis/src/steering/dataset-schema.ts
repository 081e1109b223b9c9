import { z } from "zod";
import type { SweepDataset } from "../probes/sweep-rows.ts";

function isDataset(value: unknown): boolean {
  const given = Object(value) as Partial<Record<keyof SweepDataset, unknown>>;
  return (
    typeof given.layer === "function" && typeof given.column === "function" && Array.isArray(given.layers)
  );
}

/** Options that name the rows of a dataset that a direction is fitted on. */
export const datasetShape = {
  dataset: z.custom<SweepDataset>(
    isDataset,
    "a dataset: rows, layers, hiddenSize, columns, column() and layer()",
  ),
  label: z.string().min(1),
  positive: z.union([z.string(), z.number(), z.boolean()]).optional(),
  where: z
    .custom<(row: number) => boolean>((value) => typeof value === "function", "a function of a row number")
    .optional(),
};
