import { readFileSync } from "node:fs";

interface Fixture {
  binary: {
    rows: Record<"group" | "labels" | "scores" | "other" | "probabilities", number[]>;
    threshold: number;
    measured: ({ draw: number[] } & Record<
      "auroc" | "accuracy" | "balancedAccuracy" | "recall" | "brier" | "logLoss",
      number
    >)[];
    delong: { values: [number, number]; covariance: [[number, number], [number, number]] };
  };
  calibration: {
    isotonic: CalibrationCase;
    platt: CalibrationCase[];
    error: { labels: number[]; probabilities: number[]; errors: { width: number; mass: number } };
  };
  numbers: {
    labels: number[];
    scores: number[];
    measured: { draw: number[]; rSquared: number; spearman: number }[];
  };
  classes: { scores: number[]; labels: number[]; macro: number };
  shares: {
    clopper: { hits: number; n: number; interval: [number, number] }[];
    grouped: { group: number[]; hits: number[]; worth: number; low: number; high: number };
  };
  distributions: {
    normal: { z: number[]; cdf: number[]; p: number[]; quantile: number[] };
    student: { p: number; df: number; quantile: number }[];
    beta: { p: number; a: number; b: number; quantile: number }[];
  };
}

interface CalibrationCase {
  scores: number[];
  labels: number[];
  at: number[];
  probabilities: number[];
}

/** Made by fixtures/statistics.py. */
export const fixture = JSON.parse(
  readFileSync(new URL("../../fixtures/statistics.json", import.meta.url), "utf8"),
) as Fixture;
