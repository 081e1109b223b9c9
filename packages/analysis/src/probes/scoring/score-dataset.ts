import { z } from "zod";
import { checkOptions } from "../../options/check-options.ts";
import { scorePoolSchema, type ScorePool } from "../../results/score-pool.ts";
import { checkDataset } from "../check-dataset.ts";
import { columnOf, layerOf } from "../checked-reads.ts";
import { ProbeError } from "../probe-error.ts";
import { chosenRows, rowChoiceSchema, type RowChoice } from "../row-choice.ts";
import { checkTrainedProbe } from "../trained/check-trained-probe.ts";
import { refuseRows } from "../trained/trained-probe.ts";
import type { TrainingDataset } from "../trained/train-probe.ts";
import type { TrainedProbe } from "../trained/trained-probe.ts";
import { isKnown } from "../sweep-rows.ts";
import { layerToScore } from "./check-source.ts";
import { flagging, refuseClasses } from "./flag.ts";
import { poolScores } from "./pool-scores.ts";

export interface ScoreDatasetOptions {
  /** The rows to score. Default: all. */
  where?: RowChoice;
  /** Column of sequences, whose rows (in the dataset's order) become one score each: `"example"`, say. Needs `pool`, unless the probe reads sequences itself. */
  groupBy?: string;
  pool?: ScorePool;
}

/** Scores of rows, or of groups of rows. */
export interface DatasetScores {
  /** Row numbers, one a score; of grouped scores the first row of each. */
  rows: number[];
  /** The groups' values in the order of their first rows; null where each row has its own score. */
  groups: unknown[] | null;
  /** `[rows]`, or `[rows, classes]` of a probe of classes. */
  scores: Float64Array;
  /** Whether each lies above the stored threshold; null where it says nothing of them. */
  flags: boolean[] | null;
  /** Why `flags` is null. */
  reason: string | null;
}

const optionsSchema = z.strictObject({
  where: rowChoiceSchema.optional(),
  groupBy: z.string().min(1).optional(),
  pool: scorePoolSchema.optional(),
});

/**
 * What the probe says of a dataset's rows, or of its examples. Throws ProbeError `wrong_width`, `wrong_layer`, `wrong_model`,
 * `no_rows`, `not_finite`, `bad_group` for a row of no sequence, InvalidRequestError.
 */
export async function scoreDataset(
  probe: TrainedProbe,
  dataset: TrainingDataset,
  options: ScoreDatasetOptions = {},
): Promise<DatasetScores> {
  const { where, groupBy, pool } = checkOptions(
    optionsSchema,
    options,
    "scoreDataset options",
  ) as ScoreDatasetOptions;
  checkTrainedProbe(probe, "scoreDataset");
  checkDataset(dataset, "scoreDataset", ["rows", "hiddenSize", "layers", "column", "layer"]);
  const { hiddenSize, layers } = dataset;
  const model = dataset.lineage?.about.model ?? null;
  const layer = layerToScore(probe, { what: "dataset", hiddenSize, layers, model });
  refuseHalves(probe, groupBy, pool);
  const rows = await chosenRows(dataset, where);
  const values = await layerOf(dataset, layer);
  const rowsOf = (own: readonly number[]): Float32Array => {
    const picked = new Float32Array(own.length * hiddenSize);
    own.forEach((row, i) =>
      picked.set(values.subarray(row * hiddenSize, (row + 1) * hiddenSize), i * hiddenSize),
    );
    refuseRows(picked, hiddenSize, (place) => own[place]!);
    return picked;
  };
  if (groupBy === undefined) {
    const scores = probe.score(rowsOf(rows));
    return { rows, groups: null, scores, ...flagsOf(probe, null, scores) };
  }
  refuseClasses(probe);
  const column = await columnOf(dataset, groupBy);
  const members = new Map<unknown, number[]>();
  for (const row of rows) {
    refuseNoGroup(column[row], row, groupBy);
    const own = members.get(column[row]);
    if (own) own.push(row);
    else members.set(column[row], [row]);
  }
  const scores = Float64Array.from(members.values(), (own) =>
    pool === undefined ? probe.scoreSequence!(rowsOf(own))[0]! : poolScores(probe.score(rowsOf(own)), pool),
  );
  const first = [...members.values()].map((own) => own[0]!);
  return { rows: first, groups: [...members.keys()], scores, ...flagsOf(probe, pool ?? null, scores) };
}

function flagsOf(
  probe: TrainedProbe,
  pool: ScorePool | null,
  scores: Float64Array,
): Pick<DatasetScores, "flags" | "reason"> {
  const { flag, reason } = flagging(probe, pool);
  const flags =
    reason === null && probe.classes === null ? Array.from(scores, (score) => flag(score)!) : null;
  return { flags, reason };
}

/** Rows without a group are not one sequence. */
function refuseNoGroup(group: unknown, row: number, groupBy: string): void {
  if (isKnown(group)) return;
  const message = `Row ${row} has no ${groupBy}, so it belongs to no sequence: leave such rows out with where.`;
  throw new ProbeError("bad_group", message, { row, column: groupBy });
}

/** A pool without groups would do nothing, and groups without a pool have no score. */
function refuseHalves(probe: TrainedProbe, groupBy: string | undefined, pool: ScorePool | undefined): void {
  if (pool !== undefined && groupBy === undefined)
    throw new ProbeError(
      "bad_option",
      'pool needs groupBy: the column whose rows become one score, "example" say.',
    );
  if (groupBy !== undefined && pool === undefined && probe.scoreSequence === null)
    throw new ProbeError(
      "bad_option",
      `groupBy needs pool: how the scores of a ${groupBy}'s rows become one.`,
    );
}
