import { z } from "zod";
import { checkOptions } from "../../options/check-options.ts";
import { shown } from "../../options/shown.ts";
import { labelValueSchema } from "../../results/label-value.ts";
import type { TrainedProbeJSON } from "../../results/trained-probe.ts";
import { directionNorm, type Direction } from "../direction.ts";
import { ProbeError } from "../probe-error.ts";
import type { LabelValue } from "../sweep-rows.ts";
import type { ProbeScorer } from "./scorer.ts";

export interface ProbeDirectionOptions {
  /** Of a probe of several classes: the class whose score the direction raises. */
  class?: LabelValue;
}

const optionsSchema = z.strictObject({ class: labelValueSchema.optional() });

/** The direction that raises a probe's score, in raw space. Throws ProbeError `no_direction`, InvalidRequestError. */
export function probeDirection(
  data: TrainedProbeJSON,
  scorer: ProbeScorer,
  given: ProbeDirectionOptions,
): Direction {
  const options = checkOptions(optionsSchema, given, "direction options");
  const { name, layer, label, model } = data;
  if (layer === null)
    throw noDirection(name, "it was trained on rows whose layer was not told: give trainProbe the layer");
  const { column, positive, counts } = polarity(data, options.class);
  const weights = scorer.weights(column);
  if (weights === null)
    throw noDirection(name, "it is not linear, so no one direction raises its score everywhere");
  const vector = Float32Array.from(weights);
  const norm = directionNorm(vector);
  if (!(norm > 0 && Number.isFinite(norm)))
    throw noDirection(name, `its weights have norm ${norm} as float32: no feature told the classes apart`);
  return {
    layer,
    vector,
    norm,
    method: `${name}: ${data.formula}; the vector is w in raw space, and raises the score of ${shown(positive ?? "larger numbers")}`,
    n: { positive: counts[0], negative: counts[1] },
    source: { label: label ?? "labels", positive, ...(model === null ? {} : { model }) },
  };
}

/** The score column that the direction raises, what counts as positive there, and the rows that do and do not. */
function polarity(
  { name, task, classes, positive, training }: TrainedProbeJSON,
  asked: LabelValue | undefined,
): { column: number; positive: LabelValue | null; counts: [number, number] } {
  const { counts, rows } = training;
  if (task === "number") {
    refuseClass(name, asked);
    return { column: 0, positive: null, counts: [counts[0]!, counts[1]!] };
  }
  if (classes === null) {
    if (asked !== positive) refuseClass(name, asked);
    return { column: 0, positive, counts: [counts[0]!, counts[1]!] };
  }
  const column = asked === undefined ? -1 : classes.indexOf(asked);
  if (column < 0) {
    throw new ProbeError(
      "no_direction",
      `The probe ${name} has a direction for each class, and ${asked === undefined ? "none was asked for" : `${shown(asked)} is none of them`}: ` +
        `give class, one of ${classes.map(shown).join(", ")}.`,
      { classes },
    );
  }
  return { column, positive: asked!, counts: [counts[column]!, rows - counts[column]!] };
}

function refuseClass(name: string, asked: LabelValue | undefined): void {
  if (asked === undefined) return;
  throw new ProbeError(
    "no_direction",
    `The probe ${name} has one direction, and none for class ${shown(asked)}.`,
    {
      class: asked,
    },
  );
}

function noDirection(name: string, why: string): ProbeError {
  return new ProbeError("no_direction", `The probe ${name} has no direction: ${why}.`, { probe: name });
}
