import type { Capture } from "@residua/lens";
import { z } from "zod";
import { checkOptions } from "../../options/check-options.ts";
import { scorePoolSchema, type ScorePool } from "../../results/score-pool.ts";
import { layerNumbers } from "../checked-reads.ts";
import { ProbeError } from "../probe-error.ts";
import { booleanAnswer } from "../row-choice.ts";
import { checkTrainedProbe } from "../trained/check-trained-probe.ts";
import type { TrainedProbe } from "../trained/trained-probe.ts";
import { layerToScore } from "./check-source.ts";
import { flagging, refuseClasses } from "./flag.ts";
import { poolScores } from "./pool-scores.ts";

/** What is read of a capture. */
export type ScoredCapture = Pick<
  Capture,
  "model" | "layers" | "hiddenSize" | "positions" | "tokens" | "layer"
>;

export interface ScoreCaptureOptions {
  /** The positions to score: true or false for each (a longer list's rest is not looked at), or a test of positions. Default: all. */
  mask?: readonly boolean[] | ((position: number) => boolean);
  /** Of whose tokens: `prompt`, `generated`, or a role that `tokenRoles` gives; with `mask`, both must hold. */
  roles?: readonly string[];
  /** Of each token, for roles of a conversation: what `tokenRoles(spans, tokens)` gives. */
  tokenRoles?: readonly (string | null)[];
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

const isFunction = (value: unknown) => typeof value === "function";
const optionsSchema = z.strictObject({
  mask: z
    .union([z.array(z.boolean()).readonly(), z.custom<(position: number) => boolean>(isFunction)], {
      error: "a list of true and false, or a function of the position",
    })
    .optional(),
  roles: z.array(z.string()).min(1).readonly().optional(),
  tokenRoles: z.array(z.string().nullable()).readonly().optional(),
  pool: scorePoolSchema.optional(),
});

const captureSchema = z.looseObject({
  hiddenSize: z.int().min(1),
  positions: z.int().min(0),
  layers: z.array(z.int()).readonly(),
  layer: z.custom(isFunction, "a function of a layer's number"),
});

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
  checkOptions(captureSchema, capture, "scoreCapture capture", "capture");
  const { hiddenSize, layers, model } = capture;
  const layer = layerToScore(probe, { what: "capture", hiddenSize, layers, model });
  const pool = checked.pool ?? null;
  if (pool !== null) refuseClasses(probe);
  const positions = positionsOf(capture, checked);
  const rows = pickRows(layerRows(capture, layer), positions, hiddenSize);
  const scores = probe.score(rows);
  const { flag, reason } = flagging(probe, null);
  const flags =
    probe.classes === null && reason === null ? Array.from(scores, (score) => flag(score)!) : null;
  const own = pool === null ? (probe.scoreSequence?.(rows)[0] ?? null) : poolScores(scores, pool);
  if (own === null) return { positions, scores, pooled: null, flags, flagged: null, reason };
  const whole = flagging(probe, pool);
  return { positions, scores, pooled: own, flags, flagged: whole.flag(own), reason: whole.reason };
}

function positionsOf(
  { positions, tokens }: ScoredCapture,
  { mask, roles, tokenRoles }: ScoreCaptureOptions,
): number[] {
  if (Array.isArray(mask) && mask.length < positions) throw wrongLength("mask", mask.length, positions);
  if (tokenRoles && tokenRoles.length < positions)
    throw wrongLength("tokenRoles", tokenRoles.length, positions);
  const inMask =
    typeof mask === "function"
      ? (position: number) => booleanAnswer(mask, position, "mask")
      : (position: number) => mask?.[position] ?? true;
  const kept = Array.from({ length: positions }, (_, position) => position).filter((position) => {
    if (roles) {
      const own = [tokens[position]!.role, tokenRoles?.[position]];
      if (!own.some((role) => role !== null && role !== undefined && roles.includes(role))) return false;
    }
    return inMask(position);
  });
  if (kept.length > 0) return kept;
  throw new ProbeError("no_rows", `No position is left to score: mask and roles keep none of ${positions}.`, {
    positions,
  });
}

/** A row for each position, no more and no fewer. */
function layerRows(capture: ScoredCapture, layer: number): Float32Array {
  const { positions, hiddenSize } = capture;
  const values = layerNumbers(capture.layer(layer), layer);
  if (values.length === positions * hiddenSize) return values;
  throw new ProbeError(
    "wrong_width",
    `Layer ${layer} of the capture has ${values.length} numbers, and ${positions} positions of hiddenSize ${hiddenSize} are ${positions * hiddenSize}.`,
    { layer, numbers: values.length, positions, hiddenSize },
  );
}

function wrongLength(name: string, given: number, positions: number): ProbeError {
  return new ProbeError(
    "bad_option",
    `${name} has ${given} entries, and the capture ${positions} positions: give one for each.`,
    {
      given,
      positions,
    },
  );
}

function pickRows(values: Float32Array, rows: readonly number[], width: number): Float32Array {
  if (rows.length * width === values.length) return values;
  const picked = new Float32Array(rows.length * width);
  rows.forEach((row, i) => picked.set(values.subarray(row * width, (row + 1) * width), i * width));
  return picked;
}
