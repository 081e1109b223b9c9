import { z } from "zod";
import { checkOptions } from "../../options/check-options.ts";
import { knownProbe } from "../known-probe.ts";
import type { Probe } from "../probe.ts";
import { fitDiscriminant, trainDiscriminant, type Discriminant } from "./discriminant.ts";
import type { Shrinkage } from "./shrunk-covariance.ts";

export interface LdaOptions {
  /** "auto" (default): Ledoit and Wolf's, of each class's standardised features; or a share from above 0 to 1. */
  shrinkage?: Shrinkage;
}

const optionsSchema = z.strictObject({
  shrinkage: z.union([z.literal("auto"), z.number().gt(0).max(1)]).default("auto"),
});

/**
 * Linear discriminant analysis with a shrunk covariance, as scikit-learn's LinearDiscriminantAnalysis(solver="lsqr",
 * shrinkage="auto"): steerkit calls it mass-mean. Never a width × width matrix when the rows are fewer. Throws InvalidRequestError.
 */
export function lda(options: LdaOptions = {}): Probe {
  return discriminantProbe({
    name: "lda",
    priors: true,
    ...checkOptions(optionsSchema, options, "lda options"),
  });
}

/**
 * The Mahalanobis distance to each class mean, in the shrunk covariance that the classes share: LDA without what the class sizes say, so
 * that the threshold lies half-way between the means. Throws InvalidRequestError.
 */
export function mahalanobis(options: LdaOptions = {}): Probe {
  const checked = checkOptions(optionsSchema, options, "mahalanobis options");
  return discriminantProbe({ name: "mahalanobis", priors: false, ...checked });
}

function discriminantProbe(settings: Discriminant): Probe {
  const { name, shrinkage, priors } = settings;
  const how =
    shrinkage === "auto"
      ? "each class's covariance shrunk by Ledoit–Wolf in its standardised features, weighed by its share of the rows"
      : `each class's covariance with the share ${shrinkage} of its mean variance, weighed by its share of the rows`;
  const probe: Probe = {
    name,
    target: "classes",
    C: null,
    bias: priors ? "fitted" : "midpoint",
    formula: `w = Σ⁻¹(mean(positive) − mean(negative)), raw space, Σ: ${how}; ${
      priors ? "bias from the means and the log ratio of the class sizes" : "bias half-way between the means"
    }`,
    async fit(matrix, columns) {
      return [await fitDiscriminant(matrix, columns, settings)];
    },
    fitAt: (matrix, columns) => fitDiscriminant(matrix, columns, settings),
    train: (data) => trainDiscriminant(data, settings),
  };
  return knownProbe(probe, { name, options: { shrinkage } });
}
