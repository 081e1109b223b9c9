import { captureLimit, captureNumbers, wouldFitText } from "@residua/lens";
import { z } from "zod";
import { checkOptions } from "../options/check-options.ts";
import { ProbeError } from "../probes/probe-error.ts";
import type { CaptureCost } from "../results/capture-cost.ts";
import { resultSchemaVersion } from "../results/result-version.ts";

/** A capture that is thought of. */
export interface CostPlan {
  /** Default: its layers and tokens in words. */
  name?: string;
  /** How many, or which. */
  layers: number | readonly number[];
  promptTokens: number;
  /** Default 1, as `lens.capture` has it. */
  maxTokens?: number;
}

export interface CaptureCostOptions {
  /** The width that the server counts with: what its catalogue states for the model (`lens.describe`). */
  hiddenSize: number;
  plans: readonly CostPlan[];
  /** Numbers that one capture may hold (default: the hosted API's 33 554 432). */
  limit?: number;
}

const optionsSchema = z.strictObject({
  hiddenSize: z.int().min(1),
  plans: z
    .array(
      z.strictObject({
        name: z.string().min(1).optional(),
        layers: z.union([z.int().min(1), z.array(z.int()).min(1).readonly()]),
        promptTokens: z.int().min(1),
        maxTokens: z.int().min(0).default(1),
      }),
    )
    .min(1),
  limit: z.int().min(1).default(captureLimit),
});

/**
 * What each plan takes of what one capture may hold: layers × (prompt tokens + max_tokens) × hidden size, the sum that lens makes before it
 * sends and the server after; of a plan over the limit what would fit, in lens's words. Throws InvalidRequestError, ProbeError
 * `bad_option` for sizes beyond counting.
 */
export function captureCost(options: CaptureCostOptions): CaptureCost {
  const { hiddenSize, plans, limit } = checkOptions(optionsSchema, options, "captureCost");
  return {
    schemaVersion: resultSchemaVersion,
    kind: "capture-cost",
    hiddenSize,
    limit,
    plans: plans.map(({ name, layers: asked, promptTokens, maxTokens }) => {
      // A server counts a layer that is named twice once.
      const layers = typeof asked === "number" ? asked : new Set(asked).size;
      const size = { layers, promptTokens, maxTokens, hiddenSize };
      const numbers = captureNumbers(size);
      if (!Number.isSafeInteger(numbers)) {
        throw new ProbeError(
          "bad_option",
          `The plan ${name ?? `of ${layers} layers`} comes to about ${numbers.toExponential(1)} numbers, more than can be counted: look at its sizes.`,
          size,
        );
      }
      const wouldFit = wouldFitText(size, limit);
      const positions = promptTokens + maxTokens;
      return {
        name: name ?? `${layers} ${layers === 1 ? "layer" : "layers"} × ${positions} tokens`,
        ...{ layers, positions, numbers, fits: wouldFit === null, wouldFit },
      };
    }),
  };
}
