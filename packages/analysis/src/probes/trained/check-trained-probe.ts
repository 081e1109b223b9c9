import { z } from "zod";
import { checkOptions } from "../../options/check-options.ts";
import type { TrainedProbe } from "./trained-probe.ts";

const probeSchema = z.custom<TrainedProbe>(
  (given) =>
    typeof (given as TrainedProbe | null)?.score === "function" &&
    typeof (given as TrainedProbe).width === "number",
  "a trained probe: of trainProbe (await it), loadProbe or probeFromJSON",
);

/** Throws InvalidRequestError for what is no trained probe: its JSON, say, or a promise of one. */
export function checkTrainedProbe(probe: unknown, what: string): void {
  checkOptions(probeSchema, probe, what, "probe");
}
