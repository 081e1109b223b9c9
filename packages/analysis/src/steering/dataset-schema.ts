import { z } from "zod";
import type { SweepDataset } from "../probes/sweep-rows.ts";

/** Options that name the rows of a dataset that a direction is fitted on. */
export const datasetShape = {
  dataset: z.custom<SweepDataset>(
    (value) => typeof (Object(value) as { layer?: unknown }).layer === "function",
    "a dataset",
  ),
  label: z.string().min(1),
  positive: z.union([z.string(), z.number(), z.boolean()]).optional(),
  where: z
    .custom<(row: number) => boolean>((value) => typeof value === "function", "a function of a row number")
    .optional(),
};
