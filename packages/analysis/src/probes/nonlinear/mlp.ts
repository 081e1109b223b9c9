import { z } from "zod";
import { checkOptions } from "../../options/check-options.ts";
import { createRandom } from "../../statistics/random.ts";
import { standardSpace } from "../convex/standard-space.ts";
import { probeMatrix } from "../probe-matrix.ts";
import type { ProbeTrainer, TrainedParts, TrainingData } from "../trained/probe-trainer.ts";
import { innerRows } from "./inner-rows.ts";
import { lbfgs } from "./lbfgs.ts";
import { mlpObjective, mlpParts, type MlpShape } from "./mlp-objective.ts";
import { rawPart } from "./raw-part.ts";
import { meanLoss } from "./score-loss.ts";

export interface MlpOptions {
  /** Units of the hidden layer. Default: 32. */
  hidden?: number;
  /** Weight of ½ Σ w² beside the mean loss. Default: 1e-3. */
  weightDecay?: number;
  /** Of the starting weights and of the inner split. Default: 0. */
  seed?: number;
  /** Steps without a lower loss of the inner held-out groups after which training ends. Default: 20. */
  patience?: number;
}

const optionsSchema = z.strictObject({
  hidden: z.int().min(1).max(4096).default(32),
  weightDecay: z.number().min(0).default(1e-3),
  seed: z.int().min(0).default(0),
  patience: z.int().min(1).default(20),
});

/** Steps after which training that still gains is refused as not converged. */
export const mostTrainingSteps = 1000;

/**
 * A network of one hidden layer (ReLU) for `trainProbe`, on features standardised on its learning rows: a fifth of the groups is kept
 * aside to tell when to stop. Full batches, L-BFGS; nothing random at scoring. It has no direction. Throws InvalidRequestError.
 */
export function mlp(options: MlpOptions = {}): ProbeTrainer {
  const checked = checkOptions(optionsSchema, options, "mlp options");
  const { hidden, weightDecay } = checked;
  return {
    name: "mlp",
    target: "classes",
    formula:
      `W₂ · max(0, W₁ · x + b₁) + b₂ with ${hidden} hidden units; min mean log loss + ${weightDecay}/2 · Σ w² (biases not penalised), features ` +
      "standardised on training rows and folded in, stopped early on a fifth of the groups",
    bias: "fitted",
    C: null,
    train: (data) => train(data, checked),
  };
}

async function train(data: TrainingData, settings: Required<MlpOptions>): Promise<TrainedParts> {
  const { width, targets, weights } = data;
  const classes = data.classes?.length ?? null;
  const shape: MlpShape = { width, hidden: settings.hidden, outputs: classes ?? 1 };
  const inner = innerRows(data, settings.seed);
  const matrix = probeMatrix(data.values, width);
  try {
    const space = standardSpace(matrix.values, width, inner.learning, weights);
    const problem = {
      products: matrix,
      ...{ space, shape, decay: settings.weightDecay },
      learning: meanLoss({ classes, targets, weights, included: inner.learning }),
      stopping: meanLoss({ classes, targets, weights, included: inner.stopping }),
    };
    const end = await lbfgs((point) => mlpObjective(problem, point), startOf(shape, settings.seed), {
      most: mostTrainingSteps,
      tolerance: 1e-6,
      patience: settings.patience,
    });
    const { below, above } = mlpParts(shape, end.point);
    const raw = below.map((part) => rawPart(space, part, matrix.center));
    return {
      scorer: {
        kind: "mlp",
        hidden: { weights: raw.map((part) => part.weights), bias: raw.map((part) => part.bias) },
        output: {
          weights: above.map((part) => [...part.subarray(0, shape.hidden)]),
          bias: above.map((part) => part[shape.hidden]!),
        },
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

/** He's start: weights normal of variance 2 over their inputs, biases 0. */
function startOf(shape: MlpShape, seed: number): Float64Array {
  const { width, hidden, outputs } = shape;
  const random = createRandom(seed, "mlp start");
  const point = new Float64Array(hidden * (width + 1) + outputs * (hidden + 1));
  const { below, above } = mlpParts(shape, point);
  for (const part of below)
    for (let j = 0; j < width; j++) part[j] = random.gaussian() * Math.sqrt(2 / width);
  for (const part of above)
    for (let h = 0; h < hidden; h++) part[h] = random.gaussian() * Math.sqrt(2 / hidden);
  return point;
}
