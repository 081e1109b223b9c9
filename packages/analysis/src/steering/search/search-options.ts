import { z } from "zod";
import { checkOptions } from "../../options/check-options.ts";
import { ProbeError } from "../../probes/probe-error.ts";
import type { LabelValue, SweepDataset } from "../../probes/sweep-rows.ts";
import { datasetShape } from "../dataset-schema.ts";
import { commonShape, directionSchema, refuseUnasked, type SteeringCommon } from "../steering-common.ts";
import type { SteeringDirection } from "../steering-rows.ts";

export interface SteeringSearchOptions extends SteeringCommon {
  /** One a layer; or give `dataset` and `label`. */
  directions?: readonly SteeringDirection[];
  /** A dataset whose label's mean difference is the direction of each layer. Leave the searched prompts out of it with `where`. */
  dataset?: SweepDataset;
  label?: string;
  positive?: LabelValue;
  where?: (row: number) => boolean;
  /** Layers of the dataset (default: all that it holds). */
  layers?: readonly number[];
  /** Tried outward from 0, each side of each layer up to its first damage. */
  scales: readonly number[];
  /**
   * What the best cell does most of: `"flips"` (answers turned to the other choice), `"target"` (net shift of the target), or the
   * name of a scorer (its change). Default: the first scorer, else flips where there are choices, else the target.
   */
  objective?: string;
  /** Whether the target or score should rise (default) or fall. */
  aim?: "raise" | "lower";
  /** Random directions that search the same cells (default 20; 0 for none). */
  twins?: number;
}

const optionsSchema = z.strictObject({
  ...commonShape,
  directions: z
    .array(directionSchema)
    .min(1)
    .refine(
      (given) => new Set(given.map(({ layer }) => layer)).size === given.length,
      "directions of different layers",
    )
    .optional(),
  ...datasetShape,
  dataset: datasetShape.dataset.optional(),
  label: datasetShape.label.optional(),
  layers: z.array(z.int().min(0)).min(1).optional(),
  scales: z
    .array(z.number().refine((scale) => scale !== 0, "a number that is not 0: the baseline is"))
    .min(1),
  objective: z.string().min(1).optional(),
  aim: z.literal(["raise", "lower"]).default("raise"),
  twins: z.int().min(0).default(20),
});

export type SearchSettings = ReturnType<typeof searchSettings>;

/** The options with their defaults. Throws InvalidRequestError, and ProbeError `bad_option` for what no schema sees. */
export function searchSettings(options: SteeringSearchOptions) {
  const read = checkOptions(optionsSchema, options, "searchSteering");
  refuseUnasked(read, "searchSteering");
  const { directions, dataset, label, layers } = read;
  const what = "searchSteering:";
  if (
    (directions === undefined) === (dataset === undefined) ||
    (dataset === undefined) !== (label === undefined)
  )
    throw new ProbeError("bad_option", `${what} give directions, or a dataset and its label.`);
  if (directions && layers)
    throw new ProbeError("bad_option", `${what} directions have layers of their own: leave layers out.`);
  const objective = read.objective ?? read.scorers[0]?.name ?? (read.choices ? "flips" : "target");
  refuseObjective(objective, read, what);
  return { ...read, objective, scales: [...new Set(read.scales)].sort((a, b) => a - b) };
}

function refuseObjective(
  objective: string,
  { choices, target, scorers, aim }: z.infer<typeof optionsSchema>,
  what: string,
): void {
  const known = [
    ...(choices ? ["flips"] : []),
    ...(choices || target !== undefined ? ["target"] : []),
    ...scorers.map(({ name }) => name),
  ];
  if (!known.includes(objective))
    throw new ProbeError(
      "bad_option",
      `${what} the objective is ${JSON.stringify(objective)}; allowed with these options: ${known.join(", ")}.`,
      { objective },
    );
  if (objective === "flips" && aim === "lower")
    throw new ProbeError("bad_option", `${what} flips can only be raised: leave aim out.`);
}
