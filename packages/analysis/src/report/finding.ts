import type { Estimate } from "../results/estimate.ts";

/**
 * What a measurement comes to. `explained`: a control does as well. `in part`: above chance, but without a control that could explain it.
 * `description`: it shows, and claims nothing.
 */
export type Finding = "shown" | "in part" | "explained" | "not shown" | "not measured" | "description";

export const findingMarks: Readonly<Record<Finding, string>> = {
  shown: "●",
  "in part": "◐",
  explained: "◇",
  "not shown": "○",
  "not measured": "–",
  description: "·",
};

/** True when the whole interval of `estimate` lies above the whole interval of `control`. */
export function isAbove(estimate: Estimate, control: Estimate | undefined): boolean {
  const ceiling = control?.high ?? control?.value;
  return estimate.low !== null && ceiling !== undefined && ceiling !== null && estimate.low > ceiling;
}

/** One question that a result answers, with the number, its interval and its control. */
export interface Verdict {
  question: string;
  finding: Finding;
  /** The number in large type, and what it is. */
  number: string;
  unit: string;
  interval: string;
  /** What the same measurement gives where there is nothing to find. */
  control: string;
}
