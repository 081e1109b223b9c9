import type { ScorePool } from "../../results/score-pool.ts";
import { ProbeError } from "../probe-error.ts";
import type { TrainedProbe } from "../trained/trained-probe.ts";

/** Whether a score lies above the probe's stored threshold; null with its reason where that says nothing of it. */
export interface Flagging {
  readonly flag: (score: number) => boolean | null;
  readonly reason: string | null;
}

/** How to flag scores pooled so (null: of single rows). */
export function flagging({ threshold }: Pick<TrainedProbe, "threshold">, pool: ScorePool | null): Flagging {
  if (threshold === null) return none("the probe has no stored threshold");
  if (poolText(threshold.pool) !== poolText(pool))
    return none(
      `the threshold is of scores pooled as ${poolText(threshold.pool)}, and these are ${poolText(pool)}`,
    );
  return { flag: (score) => score > threshold.value, reason: null };
}

function none(reason: string): Flagging {
  return { flag: () => null, reason };
}

function poolText(pool: ScorePool | null): string {
  if (pool === null) return "single rows";
  if (typeof pool === "string") return pool;
  return pool.kind === "softmax"
    ? `softmax of temperature ${pool.temperature}`
    : `${pool.take ?? "last"} of a moving average of decay ${pool.decay}`;
}

/** Throws ProbeError for a probe whose rows have a score for each class. */
export function refuseClasses({ name, classes }: Pick<TrainedProbe, "name" | "classes">): void {
  if (classes === null) return;
  throw new ProbeError(
    "bad_option",
    `The probe ${name} scores each of ${classes.length} classes, and pooling takes one score a row: leave pool out.`,
    { probe: name },
  );
}
