import { checkOptions } from "../../options/check-options.ts";
import {
  storedThresholdSchema,
  type StoredThreshold,
  type TrainedProbeJSON,
} from "../../results/trained-probe.ts";
import { ProbeError } from "../probe-error.ts";

/** A threshold that the probe can keep. Throws ProbeError `bad_option` for a probe of several classes, InvalidRequestError. */
export function checkThreshold(given: StoredThreshold, { name, task }: TrainedProbeJSON): StoredThreshold {
  const threshold = checkOptions(storedThresholdSchema, given, "threshold");
  if (task !== "classes") return threshold;
  throw new ProbeError(
    "bad_option",
    `The probe ${name} has a score for each class, and a threshold is of one score.`,
    {
      probe: name,
    },
  );
}
