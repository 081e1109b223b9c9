import { z } from "zod";
import { checkOptions } from "../options/check-options.ts";
import { numbersSchema } from "./direction.ts";
import type { Probe } from "./probe.ts";
import { refuseRows } from "./trained/trained-probe.ts";

const probeSchema = z.custom<Probe>(
  (given) => typeof (given as Probe | null)?.fit === "function",
  "a linear probe, such as logistic(): others are trained by trainProbe",
);
const dataSchema = z.looseObject({
  values: z.instanceof(Float32Array, { error: "a Float32Array [rows, width]" }),
  width: z.int().min(1),
  labels: numbersSchema,
  train: numbersSchema.optional(),
});

/** Throws InvalidRequestError for what is no probe or no rows, ProbeError `wrong_width` for numbers that are no whole rows, `not_finite`. */
export function checkFitData(probe: unknown, data: unknown): void {
  checkOptions(probeSchema, probe, "fitProbe", "probe");
  const { values, width } = checkOptions(dataSchema, data, "fitProbe", "data");
  refuseRows(values, width);
}
