import { z } from "zod";
import { checkOptions } from "../../options/check-options.ts";
import { createRandom } from "../../statistics/random.ts";
import { knownProbe } from "../known-probe.ts";
import { logistic } from "../logistic/logistic.ts";
import type { Probe, ProbeColumn, ProbeFit } from "../probe.ts";
import { ProbeError } from "../probe-error.ts";
import { refuseOneClass } from "../probe-fit.ts";
import { probeMatrix, type ProbeMatrix } from "../probe-matrix.ts";
import { rowSpread, spreadMoments, trainingSpreads } from "./row-spread.ts";

export interface KSparseOptions {
  /** Features kept (default 16). */
  k?: number;
  /**
   * How they are chosen, on training rows only: by the difference of the class means over the standard deviation (default), by the size
   * of a logistic probe's standardised weights, or at random: the control.
   */
  select?: "mean-difference" | "logistic" | "random";
  /** Of the logistic probe on them: one or several values (default 1). */
  C?: number | readonly number[];
  /** Of the random choice (default 0). */
  seed?: number;
}

const strength = z.number().gt(0);
const optionsSchema = z.strictObject({
  k: z.int().min(1).default(16),
  select: z.enum(["mean-difference", "logistic", "random"]).default("mean-difference"),
  C: z.union([strength, z.array(strength).min(1).readonly()]).default(1),
  seed: z.int().min(0).default(0),
});
type Settings = z.infer<typeof optionsSchema>;

const choices = {
  "mean-difference": "of the largest |mean(positive) − mean(negative)| / standard deviation on training rows",
  logistic: "of the largest standardised weights of a logistic probe (C = 1) on training rows",
  random: "drawn at random: a control",
};

/**
 * A logistic probe on k features chosen on the training rows (Gurnee et al., "Finding neurons in a haystack", 2023; TransformerLens's
 * sparse probing). All other weights are 0. Throws InvalidRequestError.
 */
export function kSparse(options: KSparseOptions = {}): Probe {
  const settings = checkOptions(optionsSchema, options, "kSparse options");
  const path = [...new Set(typeof settings.C === "number" ? [settings.C] : settings.C)].sort((a, b) => a - b);
  const inner = logistic({ C: path });
  const probe: Probe = {
    name: "k-sparse",
    target: "classes",
    C: path,
    bias: "fitted",
    formula: `${inner.formula}; of ${settings.k} features ${choices[settings.select]}, all other weights 0`,
    fit: (matrix, columns) => fitPath(matrix, columns, settings, path),
    async fitAt(matrix, columns, C) {
      const [fits] = await fitPath(matrix, columns, settings, [C ?? path[0]!]);
      return fits!;
    },
  };
  const { k, select, seed } = settings;
  return knownProbe(probe, { name: "k-sparse", options: { k, select, seed, C: path } });
}

async function fitPath(
  matrix: ProbeMatrix,
  columns: readonly ProbeColumn[],
  settings: Settings,
  path: readonly number[],
): Promise<ProbeFit[][]> {
  const { k } = settings;
  if (k > matrix.width) {
    const message = `kSparse is to keep ${k} features, and the rows have ${matrix.width}.`;
    throw new ProbeError("bad_option", message, { k, width: matrix.width });
  }
  columns.forEach(refuseOneClass);
  const chosen = await choose(matrix, columns, settings);
  const fits: ProbeFit[][] = path.map(() => []);
  for (const [at, column] of columns.entries()) {
    const own = await fitFeatures(matrix, column, chosen[at]!, path);
    own.forEach((fit, c) => fits[c]!.push(fit));
  }
  return fits;
}

/** The features of each column, ascending. */
async function choose(
  matrix: ProbeMatrix,
  columns: readonly ProbeColumn[],
  { k, select, seed }: Settings,
): Promise<number[][]> {
  const { width, values } = matrix;
  if (select === "random") {
    const order = createRandom(seed, "random features").shuffle(Array.from({ length: width }, (_, j) => j));
    const kept = order.slice(0, k).sort((a, b) => a - b);
    return columns.map(() => kept);
  }
  const spreads = trainingSpreads(columns);
  const fits = select === "logistic" ? await logistic({ C: 1 }).fitAt(matrix, columns, 1) : undefined;
  return columns.map((column, at) => {
    const { variance } = spreadMoments(spreads[at]!, values, width)[0]!;
    const deviation = variance.map(Math.sqrt);
    let size: Float64Array;
    if (fits) size = deviation.map((each, j) => Math.abs(each * fits[at]!.weights[j]!));
    else {
      const classOf = Uint8Array.from(column.labels, (label) => (label ? 1 : 0));
      const byClass = rowSpread(spreads[at]!.weights, classOf, 2);
      const [low, high] = spreadMoments(byClass, values, width).map(({ mean }) => mean);
      size = deviation.map((each, j) => (each > 0 ? Math.abs(high![j]! - low![j]!) / each : 0));
    }
    // On a tie the lower feature, whatever the sort does.
    const order = Array.from({ length: width }, (_, j) => j).sort((a, b) => size[b]! - size[a]! || a - b);
    return order.slice(0, k).sort((a, b) => a - b);
  });
}

/** The logistic probe on these features alone, put among the zeros of the others. */
async function fitFeatures(
  matrix: ProbeMatrix,
  column: ProbeColumn,
  features: readonly number[],
  path: readonly number[],
): Promise<ProbeFit[]> {
  const { rows, width, values, center } = matrix;
  const narrow = new Float32Array(rows * features.length);
  for (let row = 0, to = 0; row < rows; row++) {
    for (const j of features) narrow[to++] = values[row * width + j]!;
  }
  const own = probeMatrix(narrow, features.length);
  try {
    const fits = await logistic({ C: path }).fit(own, [column]);
    return fits.map(([fit]) => {
      const weights = new Float64Array(width);
      features.forEach((j, i) => (weights[j] = fit!.weights[i]!));
      const bias = fit!.bias - features.reduce((sum, j, i) => sum + fit!.weights[i]! * center[j]!, 0);
      return { ...fit!, weights, bias };
    });
  } finally {
    own.dispose();
  }
}
