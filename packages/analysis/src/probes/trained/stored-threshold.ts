import { checkOptions } from "../../options/check-options.ts";
import {
  storedThresholdSchema,
  type StoredThreshold,
  type TrainedProbeJSON,
} from "../../results/trained-probe.ts";
import { ProbeError } from "../probe-error.ts";

/** A threshold that the probe can keep. Throws ProbeError `bad_option` for a probe of several classes or counts that contradict each other, InvalidRequestError. */
export function checkThreshold(given: StoredThreshold, { name, task }: TrainedProbeJSON): StoredThreshold {
  const threshold = checkOptions(storedThresholdSchema, given, "threshold");
  refuseContradiction(threshold);
  if (task !== "classes") return threshold;
  throw new ProbeError(
    "bad_option",
    `The probe ${name} has a score for each class, and a threshold is of one score.`,
    {
      probe: name,
    },
  );
}

function refuseContradiction({ targetRate, achievedRate, n, falsePositives }: StoredThreshold): void {
  const isRate = falsePositives <= n && Math.abs(achievedRate * n - falsePositives) <= 1e-6 * n && n > 0;
  const kept = achievedRate <= targetRate + 1e-9;
  if (isRate && kept) return;
  const why = isRate
    ? `more than the targetRate ${targetRate}`
    : `not falsePositives / n, which is ${falsePositives} / ${n}`;
  const message = `The threshold's achievedRate is ${achievedRate}, ${why}: thresholdAtFalsePositiveRate makes thresholds.`;
  throw new ProbeError("bad_option", message, { targetRate, achievedRate, n, falsePositives });
}
