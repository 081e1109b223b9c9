import { z } from "zod";
import { checkOptions } from "../../options/check-options.ts";
import { scorePoolSchema, type ScorePool } from "../../results/score-pool.ts";
import { checkTrainedProbe } from "../trained/check-trained-probe.ts";
import type { TrainedProbe } from "../trained/trained-probe.ts";
import {
  captureRows,
  checkCapture,
  positionChoiceShape,
  type PositionChoice,
  type ScoredCapture,
} from "./capture-rows.ts";
import { layerToScore } from "./check-source.ts";
import { flagging, refuseClasses } from "./flag.ts";
import { poolScores } from "./pool-scores.ts";

export type { ScoredCapture } from "./capture-rows.ts";

export interface ScoreCaptureOptions extends PositionChoice {
  /** One score of them all. */
  pool?: ScorePool;
}

/** Scores of a capture's positions. */
export interface CaptureScores {
  /** `[scored]`: the positions, ascending. */
  positions: number[];
  /** `[scored]`, or `[scored, classes]` of a probe of classes. */
  scores: Float64Array;
  /** Of all of them: pooled as asked, or by the probe itself where it reads sequences; null where neither is so. */
  pooled: number | null;
  /** Whether each position's score lies above the stored threshold of single rows; null where it says nothing of them. */
  flags: boolean[] | null;
  /** Whether the pooled score does. */
  flagged: boolean | null;
  /** Why `flagged` (or, where nothing was pooled, `flags`) is null. */
  reason: string | null;
}

const optionsSchema = z.strictObject({ ...positionChoiceShape, pool: scorePoolSchema.optional() });

/**
 * What the probe says of each position of a capture, and of all together. Throws ProbeError `wrong_width`, `wrong_layer`,
 * `wrong_model`, `no_rows` where no position is left, InvalidRequestError.
 */
export function scoreCapture(
  probe: TrainedProbe,
  capture: ScoredCapture,
  options: ScoreCaptureOptions = {},
): CaptureScores {
  const checked = checkOptions(optionsSchema, options, "scoreCapture options") as ScoreCaptureOptions;
  checkTrainedProbe(probe, "scoreCapture");
  checkCapture(capture, "scoreCapture");
  const { hiddenSize, layers, model } = capture;
  const layer = layerToScore(probe, { what: "capture", hiddenSize, layers, model });
  const pool = checked.pool ?? null;
  if (pool !== null) refuseClasses(probe);
  const { positions, rows } = captureRows(capture, layer, checked);
  const scores = probe.score(rows);
  const { flag, reason } = flagging(probe, null);
  const flags =
    probe.classes === null && reason === null ? Array.from(scores, (score) => flag(score)!) : null;
  const own = pool === null ? (probe.scoreSequence?.(rows)[0] ?? null) : poolScores(scores, pool);
  if (own === null) return { positions, scores, pooled: null, flags, flagged: null, reason };
  const whole = flagging(probe, pool);
  return { positions, scores, pooled: own, flags, flagged: whole.flag(own), reason: whole.reason };
}
