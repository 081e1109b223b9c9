import { z } from "zod";
import { checkOptions } from "../options/check-options.ts";
import { ProbeError } from "../probes/probe-error.ts";
import { steeringRows, type SteeringDirection } from "./steering-rows.ts";
import { commonShape, directionSchema, refuseUnasked, type SteeringCommon } from "./steering-common.ts";
import { shuffledTwinsSchema, type ShuffledTwins } from "./twins/shuffled-twins.ts";

export interface SteeringOptions extends SteeringCommon {
  /** What is added. Several directions (one a layer) are one steering vector: all are added at once. */
  direction: SteeringDirection | readonly SteeringDirection[];
  /** Where one direction is added, at all of these layers at once (default: its own). To compare layers, use `searchSteering`. */
  layers?: readonly number[];
  /** Multiples of the direction; negative ones subtract it. */
  scales: readonly number[];
  /** Random directions of equal norm (default 20; 0 for none). */
  twins?: number;
  /** Where the twins are tried: some of `scales`, not 0 (default: every scale but 0). */
  twinScales?: readonly number[];
  /** How many prompts each twin is tried on (default all), spread evenly over the list. */
  twinPrompts?: number;
  /** Directions refitted on shuffled labels, tried where the random twins are. Left out: none. */
  shuffled?: ShuffledTwins;
  /** Extra runs of the baseline that measure its noise (default 1). */
  baselineRepeats?: number;
}

const finite = z.number();

const optionsSchema = z.strictObject({
  ...commonShape,
  direction: z.union([directionSchema, z.array(directionSchema).min(1)]),
  layers: z
    .array(z.int().min(0))
    .min(1)
    .refine((layers) => new Set(layers).size === layers.length, "each layer once")
    .optional(),
  scales: z.array(finite).min(1),
  twins: z.int().min(0).default(20),
  twinScales: z.array(finite).optional(),
  twinPrompts: z.int().min(1).optional(),
  shuffled: shuffledTwinsSchema.optional(),
  baselineRepeats: z.int().min(1).default(1),
});

export type SteeringSettings = ReturnType<typeof steeringSettings>;

/** The options with their defaults, scales ascending. Throws InvalidRequestError, and ProbeError `bad_option` for what no schema sees. */
export function steeringSettings(options: SteeringOptions) {
  const read = checkOptions(optionsSchema, options, "evaluateSteering");
  refuseUnasked(read, "evaluateSteering");
  const scales = [...new Set(read.scales)].sort((a, b) => a - b);
  const nonzero = scales.filter((scale) => scale !== 0);
  const alone = read.twinScales?.find((scale) => !nonzero.includes(scale));
  if (alone !== undefined)
    throw new ProbeError(
      "bad_option",
      `evaluateSteering: twinScales has ${alone}, and twins are compared with the direction at the same scale: take them of ${nonzero.join(", ") || "scales other than 0"}.`,
      { scale: alone },
    );
  return {
    ...read,
    scales,
    rows: steeringRows(read.direction, read.layers),
    twinScales: read.twinScales ? [...new Set(read.twinScales)] : nonzero,
    twinPrompts: read.twinPrompts ?? read.prompts.length,
  };
}
