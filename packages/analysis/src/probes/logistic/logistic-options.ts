import { z } from "zod";
import { checkOptions } from "../../options/check-options.ts";

const allowedC = 'finite numbers above 0 (a huge one stands for "no penalty")';
const strength = z.number({ error: allowedC }).positive({ error: allowedC });

const schema = z.strictObject({
  C: z
    .union([strength, z.array(strength, { error: allowedC }).min(1, { error: allowedC })], {
      error: allowedC,
    })
    .optional(),
  bias: z.boolean().optional(),
  classWeights: z.enum(["balanced"]).optional(),
  tolerance: z.number().min(1e-12).max(1e-3).optional(),
});

export interface LogisticOptions {
  /** Inverse strength of the penalty; several are fitted along a path (default 1). Every one finite: without a penalty, classes that separate have no solution. */
  C?: number | readonly number[] | undefined;
  /** Default true: an intercept, which is not penalised. */
  bias?: boolean | undefined;
  /** `balanced` weighs each row by rows / (2 · rows of its class), among training rows, as scikit-learn does. */
  classWeights?: "balanced" | undefined;
  /** A fit ends when the next step promises less than this share of its objective (default 3e-7). */
  tolerance?: number | undefined;
}

/** Options with their defaults; `C` ascending, each once. Throws InvalidRequestError. */
export function logisticSettings(options: LogisticOptions) {
  const { C = 1, bias = true, classWeights, tolerance = 3e-7 } = checkOptions(schema, options, "logistic");
  const path = [...new Set(typeof C === "number" ? [C] : C)].sort((a, b) => a - b);
  return { C: path, bias, tolerance, ...(classWeights && { classWeights }) };
}
