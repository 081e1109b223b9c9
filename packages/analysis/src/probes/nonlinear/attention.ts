import { z } from "zod";
import { checkOptions } from "../../options/check-options.ts";
import { createRandom } from "../../statistics/random.ts";
import { standardSpace } from "../convex/standard-space.ts";
import { ProbeError } from "../probe-error.ts";
import { probeMatrix } from "../probe-matrix.ts";
import type { ProbeTrainer, TrainedParts, TrainingData } from "../trained/probe-trainer.ts";
import { attentionObjective, attentionParts, type AttentionShape } from "./attention-objective.ts";
import { innerRows } from "./inner-rows.ts";
import { lbfgs } from "./lbfgs.ts";
import { mostTrainingSteps } from "./mlp.ts";
import { rawPart } from "./raw-part.ts";
import { meanLoss } from "./score-loss.ts";

export interface AttentionOptions {
  /** Queries, each with a value for each class. Default: 1. */
  heads?: number;
  /** Weight of ½ Σ w² beside the mean loss. Default: 1e-3. */
  weightDecay?: number;
  /** Of the starting values and of the inner split. Default: 0. */
  seed?: number;
  /** Steps without a lower loss of the inner held-out groups after which training ends. Default: 20. */
  patience?: number;
}

const optionsSchema = z.strictObject({
  heads: z.int().min(1).max(256).default(1),
  weightDecay: z.number().min(0).default(1e-3),
  seed: z.int().min(0).default(0),
  patience: z.int().min(1).default(20),
});

/**
 * A probe that pools the token rows of a prompt itself, for `trainProbe`: each head weighs them by the softmax of a query and reads a value
 * direction (as EleutherAI's attention-probes, without its position term). Needs rows of whole examples (column `example`), all of one
 * label. Queries start at 0, which is the mean of the rows. It scores a prompt by `scoreSequence`; `score` takes each row for a prompt.
 * It has no direction. Throws InvalidRequestError.
 */
export function attention(options: AttentionOptions = {}): ProbeTrainer {
  const checked = checkOptions(optionsSchema, options, "attention options");
  const { heads, weightDecay } = checked;
  return {
    name: "attention",
    target: "classes",
    formula:
      `b + Σ_heads Σ_rows softmax(q · x) (v · x) with ${heads} heads; min mean log loss over prompts + ${weightDecay}/2 · Σ w² (b not penalised), ` +
      "features standardised on training rows and folded in, stopped early on a fifth of the groups",
    bias: "fitted",
    C: null,
    train: (data) => train(data, checked),
  };
}

async function train(data: TrainingData, settings: Required<AttentionOptions>): Promise<TrainedParts> {
  const { width } = data;
  const classes = data.classes?.length ?? null;
  const shape: AttentionShape = { width, heads: settings.heads, outputs: classes ?? 1 };
  const { sequenceOf, sequences, first } = sequencesOf(data);
  const inner = innerRows(data, settings.seed);
  const targets = first.map((row) => data.targets[row]!);
  const { weights } = data;
  const ofSequences = (rows: Uint8Array) =>
    meanLoss({
      ...{ classes, targets },
      // Of all rows of a sequence.
      weights: weights && Float64Array.from(first, (row) => weights[row]!),
      included: Uint8Array.from(first, (row) => rows[row]!),
    });
  const matrix = probeMatrix(data.values, width);
  try {
    const space = standardSpace(matrix.values, width, inner.learning, weights);
    const problem = {
      products: matrix,
      ...{ space, shape, sequenceOf, sequences, decay: settings.weightDecay },
      learning: ofSequences(inner.learning),
      stopping: ofSequences(inner.stopping),
    };
    const end = await lbfgs((point) => attentionObjective(problem, point), startOf(shape, settings.seed), {
      most: mostTrainingSteps,
      tolerance: 1e-6,
      patience: settings.patience,
    });
    const parts = attentionParts(shape, end.point);
    const raw = (list: readonly Float64Array[]) => list.map((part) => rawPart(space, part, matrix.center));
    const values = raw(parts.values);
    return {
      scorer: {
        kind: "attention",
        // A constant added to a query's logits changes no softmax.
        queries: raw(parts.queries).map((part) => part.weights),
        values: values.map((part) => part.weights),
        valueBias: values.map((part) => part.bias),
        bias: Array.from(parts.bias, (value) => value + 0),
      },
      C: null,
      converged: end.converged,
      iterations: end.iterations,
      gradientNorm: end.gradientNorm,
    };
  } finally {
    matrix.dispose();
  }
}

/** Each row's sequence, from 0, and the first row of each. */
function sequencesOf({ exampleOf, targets, weights }: TrainingData): {
  sequenceOf: Uint32Array;
  sequences: number;
  first: number[];
} {
  if (exampleOf === null) {
    throw new ProbeError(
      "group_required",
      "An attention probe pools the rows of a prompt, and nothing says which rows are of one: give rows a column example (examples, for rows in memory).",
    );
  }
  const first: number[] = [];
  exampleOf.forEach((sequence, row) => {
    first[sequence] ??= row;
    if (weights && weights[row] !== weights[first[sequence]]) {
      const message = `Rows of one example weigh ${weights[first[sequence]]} and ${weights[row]}: an attention probe has one weight for all rows of a prompt (0 leaves a row out).`;
      throw new ProbeError("bad_option", message, { row });
    }
    if (targets[row] === targets[first[sequence]]) return;
    const message = `Rows ${first[sequence]} and ${row} are of one example and have other labels: an attention probe has one label for all rows of a prompt.`;
    throw new ProbeError("bad_label", message, { row });
  });
  return { sequenceOf: exampleOf, sequences: first.length, first };
}

function startOf(shape: AttentionShape, seed: number): Float64Array {
  const { width, heads, outputs } = shape;
  const random = createRandom(seed, "attention start");
  const point = new Float64Array(heads * (1 + outputs) * (width + 1) + outputs);
  for (const part of attentionParts(shape, point).values) {
    for (let j = 0; j < width; j++) part[j] = random.gaussian() / width;
  }
  return point;
}
