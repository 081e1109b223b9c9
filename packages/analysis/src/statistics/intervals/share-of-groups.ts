import { bootstrapMean } from "./bootstrap-mean.ts";
import { indexGroups } from "../group-folds.ts";
import { createRandom } from "../random.ts";
import type { Estimate } from "../../results/estimate.ts";

/** The share of hits, with a 95 % interval that redraws whole groups. One hit and one group a row. */
export function shareOfGroups(options: {
  hits: readonly boolean[];
  groups: readonly unknown[];
  /** Default 1000. */
  draws?: number;
  seed?: number;
}): Estimate {
  const { hits, groups, draws = 1000, seed = 0 } = options;
  const { index, count } = indexGroups(groups);
  return bootstrapMean({
    values: hits.map(Number),
    groupOf: index,
    groups: count,
    draws,
    random: createRandom(seed, "bootstrap"),
    absent: "there is no row",
  });
}
