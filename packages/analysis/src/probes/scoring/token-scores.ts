import { z } from "zod";
import { checkOptions } from "../../options/check-options.ts";
import { shown } from "../../options/shown.ts";
import { resultSchemaVersion } from "../../results/result-version.ts";
import type { TokenScores } from "../../results/token-scores.ts";
import { directionNorm, numbersSchema } from "../direction.ts";
import { ProbeError } from "../probe-error.ts";
import { scoreRows } from "../probe-fit.ts";
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
import { refuseClasses } from "./flag.ts";

/** A direction with the threshold that a projection on it has: the middle between two class means, say. It has none by itself. */
export interface DirectionScorer {
  readonly layer: number;
  /** `[hiddenSize]`. */
  readonly vector: ArrayLike<number>;
  /** Added to the projection (default 0). */
  readonly bias?: number;
  readonly threshold: number;
}

/** A trained probe with another threshold than its own. */
export interface ProbeWithThreshold {
  readonly probe: TrainedProbe;
  readonly threshold: number;
}

/** What scores the rows of its layer. */
export type TokenScorer = TrainedProbe | ProbeWithThreshold | DirectionScorer;

export interface TokenScoresOptions extends PositionChoice {
  /** What the scores measure. Default: the probes' name and label. */
  score?: string;
  /** What scores above and below the threshold speak for. Default: the probes' class, where they read two. */
  above?: string;
  below?: string;
}

const optionsSchema = z.strictObject({
  ...positionChoiceShape,
  score: z.string().min(1).optional(),
  above: z.string().min(1).optional(),
  below: z.string().min(1).optional(),
});

const threshold = z.number({
  error:
    "a number that parts the classes: a projection has none by itself (a trained probe has, such as one of differenceOfMeans())",
});
const directionSchema = z.looseObject({
  layer: z.int().min(-1),
  vector: numbersSchema,
  bias: z.number().default(0),
  threshold,
  source: z.looseObject({ model: z.string().optional() }).optional(),
});
const probeSchema = z.strictObject({ probe: z.unknown(), threshold: z.number() });
const scorersSchema = z.array(z.looseObject({})).min(1);

/**
 * What a probe or direction of each layer says of each token of a capture. Row p is the stream at token p, so the last generated token has
 * no score, and tokens that `mask` and `roles` leave out have none. A probe's threshold is the stored one of single rows, else 0 where its
 * bias is fitted or half-way between the classes. Scores of several layers are comparable only above and below their thresholds.
 * Throws ProbeError `bad_option` (two scorers of a layer, a probe of classes or without a threshold), `wrong_layer`, `wrong_width`,
 * `wrong_model`, `not_finite`, `no_rows`; InvalidRequestError.
 */
export function tokenScores(
  capture: ScoredCapture,
  scorers: readonly TokenScorer[],
  options: TokenScoresOptions = {},
): TokenScores {
  const checked = checkOptions(optionsSchema, options, "tokenScores options") as TokenScoresOptions;
  checkCapture(capture, "tokenScores");
  checkTokens(capture);
  checkOptions(scorersSchema, scorers, "tokenScores scorers", "scorers");
  const read = scorers.map((scorer, at) => readScorer(scorer, at, capture));
  refuseTwice(read);
  const layers = read.map(({ layer, threshold, score }) => {
    const { positions, rows } = captureRows(capture, layer, checked);
    const scores = new Array<number | null>(capture.tokens.length).fill(null);
    score(rows).forEach((value, i) => (scores[positions[i]!] = finite(value, layer, positions[i]!)));
    return { layer, threshold: threshold + 0, scores };
  });
  const words = wordsOf(read);
  return {
    schemaVersion: resultSchemaVersion,
    kind: "token-scores",
    model: capture.model,
    score: checked.score ?? words.score,
    above: checked.above ?? words.above,
    below: checked.below ?? words.below,
    tokens: capture.tokens.map(({ id, text, role }, position) => ({ position, id, text, role })),
    layers: layers.sort((a, b) => a.layer - b.layer),
  };
}

/** A score without its token would be put under another one. */
function checkTokens({ tokens, positions }: ScoredCapture): void {
  checkOptions(z.array(z.looseObject({})).readonly(), tokens, "tokenScores capture", "capture.tokens");
  if (tokens.length >= positions) return;
  throw new ProbeError(
    "bad_option",
    `The capture has ${tokens.length} tokens for ${positions} positions: row p is the stream at token p, so there must be at least as many.`,
    { tokens: tokens.length, positions },
  );
}

/** A scorer, checked against the capture. */
interface ReadScorer {
  layer: number;
  threshold: number;
  probe: TrainedProbe | null;
  score: (rows: Float32Array) => Float64Array;
}

function readScorer(scorer: TokenScorer, at: number, capture: ScoredCapture): ReadScorer {
  const place = `scorers[${at}]`;
  if ("vector" in scorer) return readDirection(scorer, place, capture);
  const given =
    "probe" in scorer
      ? { probe: scorer.probe, threshold: checkOptions(probeSchema, scorer, "tokenScores", place).threshold }
      : { probe: scorer, threshold: undefined };
  const { probe } = given;
  checkTrainedProbe(probe, "tokenScores");
  refuseClasses(probe);
  const { hiddenSize, layers, model } = capture;
  const layer = layerToScore(probe, { what: "capture", hiddenSize, layers, model });
  const threshold = given.threshold ?? ownThreshold(probe, place);
  return { layer, threshold, probe, score: (rows) => probe.score(rows) };
}

/** Where a probe decides: a stored threshold of pooled scores says nothing of single rows. */
function ownThreshold({ name, bias, task, threshold }: TrainedProbe, place: string): number {
  if (threshold !== null && threshold.pool === null) return threshold.value;
  if (task === "binary" && bias !== "none") return 0;
  const why = task === "number" ? "predicts a number" : "has no bias";
  throw new ProbeError(
    "bad_option",
    `${place}: the probe ${name} ${why}, so no score of its own parts two classes: give { probe, threshold }.`,
    { probe: name },
  );
}

function readDirection(scorer: DirectionScorer, place: string, capture: ScoredCapture): ReadScorer {
  const { layer, vector, bias, threshold, source } = checkOptions(
    directionSchema,
    scorer,
    "tokenScores",
    place,
  );
  const { hiddenSize, layers, model } = capture;
  directionNorm(vector);
  const what = `The direction ${place}`;
  if (vector.length !== hiddenSize) {
    const message = `${what} has ${vector.length} numbers and the capture's rows ${hiddenSize}: it is of another model.`;
    throw new ProbeError("wrong_width", message, { given: vector.length, width: hiddenSize });
  }
  if (source?.model !== undefined && source.model !== model) {
    const message = `${what} is of ${source.model}, and the capture of ${model}.`;
    throw new ProbeError("wrong_model", message, { direction: source.model, given: model });
  }
  if (!layers.includes(layer)) {
    const message = `${what} is of layer ${layer}, and the capture holds ${layers.join(", ")}.`;
    throw new ProbeError("wrong_layer", message, { layer, layers });
  }
  const fit = { weights: Float64Array.from(vector), bias };
  return { layer, threshold, probe: null, score: (rows) => scoreRows(fit, rows) };
}

function refuseTwice(read: readonly ReadScorer[]): void {
  const twice = read.find(({ layer }, i) => read.some((other, j) => j < i && other.layer === layer));
  if (!twice) return;
  throw new ProbeError(
    "bad_option",
    `Two scorers are of layer ${twice.layer}: a table has one of each layer; make a table of each.`,
    { layer: twice.layer },
  );
}

function finite(value: number, layer: number, position: number): number {
  // JSON has no −0.
  if (Number.isFinite(value)) return value + 0;
  throw new ProbeError(
    "not_finite",
    `The score of layer ${layer} at position ${position} is ${value}: look for rows or weights of extreme scale.`,
    { layer, position },
  );
}

/** What all scorers have in common, in words. */
function wordsOf(read: readonly ReadScorer[]): Pick<TokenScores, "score" | "above" | "below"> {
  const said = read.map(({ probe }) => {
    if (probe === null) return { score: "projection on a direction", above: null, below: null };
    const { name, label, positive } = probe;
    const isOf = positive === null ? "" : typeof positive === "string" ? positive : shown(positive);
    const of = label === null ? "" : ` of ${label}`;
    return {
      score: `${name}${of}`,
      above: positive === null ? null : label === null ? isOf : `${label}: ${isOf}`,
      below: positive === null ? null : label === null ? `not ${isOf}` : `${label}: not ${isOf}`,
    };
  });
  const same = (one: (words: (typeof said)[number]) => string | null) => new Set(said.map(one)).size === 1;
  const [first] = said;
  return {
    score: same(({ score }) => score) ? first!.score : "score of each layer's own probe or direction",
    above: same(({ above }) => above) ? first!.above : null,
    below: same(({ below }) => below) ? first!.below : null,
  };
}
