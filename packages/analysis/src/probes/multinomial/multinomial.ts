import { z } from "zod";
import { checkOptions } from "../../options/check-options.ts";
import { ConvexFit } from "../convex/convex-fit.ts";
import { newtonDescent } from "../convex/newton-descent.ts";
import { softmaxLoss } from "../convex/softmax-loss.ts";
import { strengthPath, strengthSchema } from "../convex/strength-path.ts";
import { rawPart } from "../nonlinear/raw-part.ts";
import { probeMatrix } from "../probe-matrix.ts";
import { standardMoments } from "../standard-moments.ts";
import { linearScorerData } from "../trained/linear-scorer.ts";
import type { ProbeTrainer, TrainedParts, TrainingData } from "../trained/probe-trainer.ts";

const optionsSchema = z.strictObject({ C: strengthSchema.optional() });

/**
 * Multinomial logistic regression for `trainProbe`: one score a class, in scikit-learn's terms min C · Σ (log Σ_k exp(score_k) − score of
 * the class) + ½ Σ_k ‖w_k‖² over features standardised on the training rows; intercepts are not penalised. Of two classes the score is
 * the difference of the two. (Sweeps take one class against the rest: `logistic`.) Throws InvalidRequestError.
 */
export function multinomial(options: { C?: number | readonly number[] } = {}): ProbeTrainer {
  const { C } = checkOptions(optionsSchema, options, "multinomial options");
  return {
    name: "multinomial",
    target: "classes",
    formula:
      "min C · Σ (log Σ_k exp(x·w_k + b_k) − (x·w_y + b_y)) + ½ Σ_k ‖w_k‖², features standardised on training rows, b not penalised; scaler " +
      "folded into w and b",
    bias: "fitted",
    C: strengthPath(C, "multinomial options"),
    train: (data, strength) => train(data, strength!),
  };
}

async function train(data: TrainingData, C: number): Promise<TrainedParts> {
  const { width, targets, weights } = data;
  const matrix = probeMatrix(data.values, width);
  try {
    const included = new Uint8Array(data.rows).fill(1);
    const loss = softmaxLoss(targets, data.classes?.length ?? 2, weights);
    const fit = new ConvexFit(loss, standardMoments(matrix.values, width, weights ?? included), included);
    const [end] = await newtonDescent(matrix, [fit], C);
    const parts = fit.parts(fit.parameters);
    const columns = data.classes ? parts : [parts[1]!.map((value, j) => value - parts[0]![j]!)];
    const raw = columns.map((part) => rawPart(fit, part, matrix.center));
    const { converged, iterations, gradientNorm } = end!;
    return {
      scorer: linearScorerData(
        raw.map((part) => part.weights),
        raw.map((part) => part.bias),
      ),
      ...{ C, converged, iterations, gradientNorm },
    };
  } finally {
    matrix.dispose();
  }
}
