import { z } from "zod";
import { checkOptions } from "../../options/check-options.ts";
import type { Probe, ProbeColumn } from "../probe.ts";
import { ProbeError } from "../probe-error.ts";
import { checkColumns } from "./check-columns.ts";

export interface FitLayersOptions {
  probe: Probe;
  /** What is fitted on each layer: training rows and labels (`[rows]` of the dataset). Columns of one fold share their `training`. */
  columns: readonly ProbeColumn[];
  /** Default: all of the dataset. */
  layers?: readonly number[] | undefined;
  /**
   * Worker threads, each with a layer in hand, or with a share of the columns where there are fewer layers; 0 computes in this thread,
   * which then does nothing else. Default: as many as the machine has cores, and 0 on WebGPU and for probes of your own.
   */
  workers?: number | undefined;
  signal?: AbortSignal | undefined;
}

const schema = z.strictObject({
  probe: z.custom<Probe>((given) => typeof (given as Probe | null)?.fit === "function", {
    error: "a probe, such as logistic()",
  }),
  columns: z
    .array(z.custom<ProbeColumn>(isColumn, { error: "an object with training.included and labels" }))
    .min(1),
  layers: z.array(z.int().min(-1)).min(1).optional(),
  workers: z.int().min(0).max(256).optional(),
  signal: z
    .custom<AbortSignal>((given) => given instanceof AbortSignal, { error: "an AbortSignal" })
    .optional(),
});

function isColumn(given: unknown): boolean {
  const column = given as ProbeColumn | null | undefined;
  return typeof column?.training?.included?.length === "number" && typeof column.labels?.length === "number";
}

/** Throws InvalidRequestError, or ProbeError `bad_option`, `bad_label` where a column has not one label, mark and weight for each of the rows that can be read. */
export function checkFitLayers(options: FitLayersOptions, rows: number): FitLayersOptions {
  const checked = checkOptions(schema, options, "fitLayers");
  checked.columns.forEach(({ training, labels, weights }, k) => {
    const lengths = {
      "training.included": training.included.length,
      labels: labels.length,
      weights: weights?.length ?? rows,
    };
    for (const [field, length] of Object.entries(lengths)) {
      if (length === rows) continue;
      const message = `columns[${k}].${field} has ${length} values, and the dataset ${rows} rows: give one for each.`;
      throw new ProbeError("bad_option", message, { column: k, field, length, rows });
    }
  });
  checkColumns(checked.probe, checked.columns);
  return checked;
}
