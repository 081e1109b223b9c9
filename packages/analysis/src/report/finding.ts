import { counted, intervalText } from "../plots/plot-format.ts";
import type { Estimate } from "../results/estimate.ts";
import { fewestGroups, ofTooFew } from "../statistics/intervals/cluster-bootstrap.ts";

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

/** A verdict's interval, with how many it rests on. */
export function intervalLine(estimate: Estimate, format: (value: number) => string): string {
  const { n, groups } = estimate;
  const sizes = [
    ...(n === undefined ? [] : [`n = ${n.toLocaleString("en")}`]),
    ...(groups === undefined || groups === n ? [] : [`in ${counted(groups, "group")}`]),
  ].join(" ");
  return [
    `95% interval ${intervalText(estimate, format)}`,
    ...(sizes === "" ? [] : [sizes]),
    ...(estimate.low !== null && estimate.low === estimate.high
      ? ["no redrawn groups differ, which is no certainty"]
      : []),
    ...(ofTooFew(estimate) ? [`fewer than ${fewestGroups} groups show nothing`] : []),
  ].join("; ");
}

/** True when the whole interval of `estimate` lies above the whole interval of `control`, and enough groups say so. */
export function isAbove(estimate: Estimate, control: Estimate | undefined): boolean {
  const ceiling = control?.high ?? control?.value;
  if (ofTooFew(estimate)) return false;
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
