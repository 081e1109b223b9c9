import type { ReliabilityCurve } from "../../../src/results/reliability-curve.ts";
import { sampleEstimate, undefinedEstimate } from "./sample-estimate.ts";

/** Probabilities that are too sure of themselves. */
export function sampleReliabilityCurve(): ReliabilityCurve {
  const rows = [96, 41, 22, 17, 12, 14, 19, 27, 48, 104];
  const shares = [0.05, 0.21, 0.33, 0.41, 0.42, 0.5, 0.58, 0.63, 0.76, 0.94];
  return {
    schemaVersion: 1,
    kind: "reliability-curve",
    binning: "width",
    bins: shares.map((share, index) => ({
      low: index / 10,
      high: (index + 1) / 10,
      meanProbability:
        Math.round(1000 * (index / 10 + 0.05 + (index === 0 ? -0.03 : index === 9 ? 0.03 : 0))) / 1000,
      positives: sampleEstimate(share, 1 / Math.sqrt(rows[index]!), { n: rows[index]!, groups: 80 }),
    })),
    calibrationError: sampleEstimate(0.0561, 0.019, { n: 400, groups: 80 }),
    perfectError: 0.0212,
    brier: sampleEstimate(0.1043, 0.017, { n: 400, groups: 80 }),
    logLoss: sampleEstimate(0.3391, 0.048, { n: 400, groups: 80 }, [0, 10]),
    n: 400,
    groups: 80,
    draws: 1000,
    seed: 0,
    random: "xoshiro128**",
  };
}

export function oneBin(): ReliabilityCurve {
  const none = undefinedEstimate("one class only, so that nothing can be told of it");
  const bin = { low: 0.5, high: 0.5, meanProbability: 0.5, positives: sampleEstimate(0.5, 0.4) };
  return {
    ...sampleReliabilityCurve(),
    bins: [bin],
    calibrationError: none,
    perfectError: null,
    brier: none,
    logLoss: none,
  };
}
