import type { Estimate } from "../results/estimate.ts";
import type { ProbeName } from "../results/probe-name.ts";

/** A minus sign instead of a hyphen, for people. */
export function signed(value: number, digits?: number): string {
  const text =
    digits === undefined ? String(Math.round(Math.abs(value) * 1e6) / 1e6) : Math.abs(value).toFixed(digits);
  return value < 0 && Number(text) !== 0 ? `−${text}` : text;
}

/** A scale with its sign, as in "+2" and "−0.5". */
export function scaleText(scale: number): string {
  return scale > 0 ? `+${signed(scale)}` : signed(scale);
}

export function percent(value: number): string {
  return `${signed(100 * value, 1)}%`;
}

export const decimals =
  (digits: number) =>
  (value: number): string =>
    signed(value, digits);

/** "0.991 to 1.000", or why there is no interval. */
export function intervalText(estimate: Estimate, format: (value: number) => string): string {
  if (estimate.low === null || estimate.high === null) return `no interval${because(estimate)}`;
  return `${format(estimate.low)} to ${format(estimate.high)}`;
}

/** "0.998 (0.991 to 1.000)". */
export function estimateText(estimate: Estimate, format: (value: number) => string): string {
  if (estimate.value === null) return `not defined${because(estimate)}`;
  return `${format(estimate.value)} (${intervalText(estimate, format)})`;
}

function because({ reason }: Estimate): string {
  return reason === undefined ? "" : `: ${reason}`;
}

const probeNames: Partial<Record<ProbeName, string>> = {
  logistic: "logistic regression",
  ridge: "ridge regression",
  lda: "shrinkage LDA",
  mahalanobis: "Mahalanobis",
  "mahalanobis-distance": "Mahalanobis distance",
  "mass-mean-iid": "mass-mean, IID form",
  pca: "first principal component",
  "pca-of-differences": "PCA of differences",
  "k-sparse": "k-sparse",
  "linear-svm": "linear SVM",
  multinomial: "multinomial logistic regression",
  mlp: "MLP",
  attention: "attention probe",
  ccs: "CCS",
};

/** A probe's name with spaces, where it has no other. */
export function probeText(probe: ProbeName): string {
  return probeNames[probe] ?? probe.replaceAll("-", " ");
}

const scoreNames = { auroc: "AUROC", "macro-auroc": "macro AUROC", r2: "R²" } as const;

/** The kind of a sweep's score. */
export function scoreText(score: keyof typeof scoreNames): string {
  return scoreNames[score];
}

/** What a probe that knows nothing scores. */
export function chanceScore(score: keyof typeof scoreNames): number {
  return score === "r2" ? 0 : 0.5;
}

/** "1 group", "2 groups". */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}
