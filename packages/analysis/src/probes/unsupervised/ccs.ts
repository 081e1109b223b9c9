import { z } from "zod";
import { checkOptions } from "../../options/check-options.ts";
import { shown } from "../../options/shown.ts";
import type { CcsTraining } from "../../results/ccs-training.ts";
import { resultSchemaVersion } from "../../results/result-version.ts";
import { createRandom } from "../../statistics/random.ts";
import { checkDataset } from "../check-dataset.ts";
import { columnOf, layerOf, refuseOtherLayer } from "../checked-reads.ts";
import { dot } from "../../linalg/vectors.ts";
import { type DescentEnd, lbfgs } from "../nonlinear/lbfgs.ts";
import { ProbeError } from "../probe-error.ts";
import { plainLabel } from "../label-values.ts";
import { chosenRows, type RowChoice, rowChoiceSchema } from "../row-choice.ts";
import { isKnown, type SweepDataset } from "../sweep-rows.ts";
import { linearScorerData } from "../trained/linear-scorer.ts";
import { refuseRows, sealedProbe, type TrainedProbe } from "../trained/trained-probe.ts";
import { ccsObjective } from "./ccs-objective.ts";
import { normalisedPairs, type PairMoments } from "./pair-moments.ts";
import { type RowPairs, rowPairs } from "./row-pairs.ts";

export interface CcsOptions {
  layer: number;
  /** Column that names each row's pair. Default: `group`, as `contrastPairs` writes it. */
  pair?: string;
  /** Column that is true (or 1) in the positive row of a pair, false (or 0) in the negative. Default: `positive`. */
  half?: string;
  /** Column that is true (or 1) where a row's statement holds: read for the sign alone. Without it the sign stays open. */
  label?: string;
  /** The rows to train on, by row number or by columns' values: leave out those that it will be judged by. */
  where?: RowChoice;
  /** Default: 10. */
  restarts?: number;
  /** Default: 0. */
  seed?: number;
  /** Weight of ½‖w‖² beside the mean loss; it keeps w finite where pairs part without error. Default: 1e-3. */
  weightDecay?: number;
  /** Id of the model, for the probe to refuse captures of others. */
  model?: string;
}

const optionsSchema = z.strictObject({
  layer: z.int().min(-1),
  pair: z.string().min(1).default("group"),
  half: z.string().min(1).default("positive"),
  label: z.string().min(1).optional(),
  where: rowChoiceSchema.optional(),
  restarts: z.int().min(1).max(1000).default(10),
  seed: z.int().min(0).default(0),
  weightDecay: z.number().min(0).default(1e-3),
  model: z.string().min(1).optional(),
});

/** The probe reads rows; a pair scores `(score(positive) − score(negative) − training.pairOffset) / 2`. */
export interface CcsResult {
  readonly probe: TrainedProbe;
  readonly training: CcsTraining;
}

/**
 * Contrast-consistent search (Burns et al. 2022, arXiv:2212.03827) on the pairs of one layer: unsupervised, several restarts of which the one
 * of the least loss is taken. Each half is normalised by itself. Throws ProbeError (`bad_pairs`, `no_rows`, `not_finite`,
 * `not_converged`, `bad_label`, `bad_option`) and InvalidRequestError.
 */
export async function ccs(
  dataset: Pick<SweepDataset, "rows" | "layers" | "hiddenSize" | "column" | "layer"> &
    Partial<Pick<SweepDataset, "columns">>,
  options: CcsOptions,
): Promise<CcsResult> {
  const settings = checkOptions(optionsSchema, options, "ccs options");
  checkDataset(dataset, "ccs", ["rows", "hiddenSize", "layers", "column", "layer"]);
  const { layer, where, label, seed, weightDecay } = settings;
  refuseOtherLayer(dataset, layer);
  const rows = await chosenRows(dataset, where);
  const pairs = rowPairs(
    rows,
    await columnOf(dataset, settings.pair),
    await columnOf(dataset, settings.half),
  );
  const truths = label === undefined ? undefined : await columnOf(dataset, label);
  const values = await layerOf(dataset, layer);
  const width = dataset.hiddenSize;
  for (const row of rows) refuseRows(values.subarray(row * width, (row + 1) * width), width, () => row);
  const { moments, rows: normalised } = normalisedPairs(values, width, pairs);
  const ends: DescentEnd[] = [];
  for (let restart = 0; restart < settings.restarts; restart++) {
    const random = createRandom(seed, `ccs restart ${restart}`);
    const start = Float64Array.from({ length: width + 1 }, (_, j) =>
      j === width ? 0 : random.gaussian() / Math.sqrt(width),
    );
    ends.push(
      await lbfgs((point) => Promise.resolve(ccsObjective(normalised, weightDecay, point)), start, {
        most: 2000,
        tolerance: 1e-6,
      }),
    );
  }
  const taken = ends.reduce((best, end, i) => (end.value < ends[best]!.value ? i : best), 0);
  const best = ends[taken]!;
  if (!best.converged) {
    const { iterations, gradientNorm } = best;
    const message = `CCS did not converge: gradient norm ${gradientNorm.toExponential(2)} after ${iterations} steps. Raise weightDecay.`;
    throw new ProbeError("not_converged", message, { iterations, gradientNorm });
  }
  const { weights, bias, pairOffset } = inRawSpace(best.point, moments);
  const sign = signOf({ values, width, pairs, weights, pairOffset }, truths);
  const flip = sign.flips ? -1 : 1;
  const probe = sealedProbe({
    schemaVersion: resultSchemaVersion,
    kind: "trained-probe",
    name: "ccs",
    task: "binary",
    ...{ layer, width, model: settings.model ?? null },
    formula:
      `min mean (p⁺ − (1 − p⁻))² + min(p⁺, p⁻)² + ${weightDecay}/2 · ‖w‖², each half less its own mean over the deviation within halves; raw rows ` +
      `are read from half-way between the halves' means; ${sign.resolved ? "sign by training labels" : "sign not resolved"}`,
    bias: "fitted",
    C: null,
    label: label ?? null,
    positive: true,
    group: settings.pair,
    classes: null,
    training: {
      rows: rows.length,
      counts: [pairs.positive.length, pairs.negative.length],
      iterations: best.iterations,
      gradientNorm: best.gradientNorm,
    },
    scorer: linearScorerData([weights.map((value) => flip * value)], [flip * bias]),
    threshold: null,
  });
  const { resolved, agreement, pairs: labelled, reason } = sign;
  return {
    probe,
    training: {
      schemaVersion: resultSchemaVersion,
      kind: "ccs-training",
      pairs: pairs.positive.length,
      ...{ seed, weightDecay, taken, loss: best.value, pairOffset: flip * pairOffset + 0 },
      restarts: ends.map(({ value, iterations, converged }) => ({ loss: value, iterations, converged })),
      sign: { resolved, agreement, pairs: labelled, ...(reason === undefined ? {} : { reason }) },
    },
  };
}

function inRawSpace(
  point: Float64Array,
  { positive, negative, inverse }: PairMoments,
): { weights: Float64Array; bias: number; pairOffset: number } {
  const weights = inverse.map((scale, j) => scale * point[j]!);
  const middle = positive.map((mean, j) => (mean + negative[j]!) / 2);
  return {
    weights,
    bias: point[weights.length]! - dot(weights, middle),
    pairOffset: dot(weights, positive) - dot(weights, negative),
  };
}

/** Which way round the direction is, by the labels of training pairs alone: most of them must agree with it. */
function signOf(
  fit: { values: Float32Array; width: number; pairs: RowPairs; weights: Float64Array; pairOffset: number },
  truths: ArrayLike<unknown> | undefined,
): CcsTraining["sign"] & { flips: boolean } {
  const unresolved = (reason: string) => ({
    resolved: false,
    flips: false,
    agreement: null,
    pairs: 0,
    reason,
  });
  if (!truths) return unresolved("no label was given: high scores may mean either side");
  const { values, width, pairs, weights, pairOffset } = fit;
  const rowScore = (row: number) => dot(weights, values.subarray(row * width, (row + 1) * width));
  let agreeing = 0;
  let labelled = 0;
  pairs.positive.forEach((row, i) => {
    const other = pairs.negative[i]!;
    const truth = truthOf(truths[row], row);
    const opposite = truthOf(truths[other], other);
    if (truth === undefined || opposite === undefined) return;
    if (truth === opposite) {
      const message = `Rows ${row} and ${other} are one pair and both ${truth}: of a pair one statement holds and the other does not.`;
      throw new ProbeError("bad_label", message, { row });
    }
    labelled++;
    if (rowScore(row) - rowScore(other) - pairOffset > 0 === truth) agreeing++;
  });
  if (labelled === 0) return unresolved("no pair has a label: high scores may mean either side");
  const flips = agreeing * 2 < labelled;
  return {
    resolved: true,
    flips,
    agreement: (flips ? labelled - agreeing : agreeing) / labelled,
    pairs: labelled,
  };
}

function truthOf(given: unknown, row: number): boolean | undefined {
  const value = plainLabel(given);
  if (!isKnown(value)) return undefined;
  if (value === true || value === 1) return true;
  if (value === false || value === 0) return false;
  const message = `Row ${row} has the label ${shown(value)}: CCS reads true, 1, false or 0.`;
  throw new ProbeError("bad_label", message, { row });
}
