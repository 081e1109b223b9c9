import { z } from "zod";
import { checkOptions } from "../../options/check-options.ts";
import type { Estimate } from "../../results/estimate.ts";
import { arraySchema, binaryLabels, refuseOtherLength } from "../checked-arrays.ts";
import { indexGroups } from "../group-folds.ts";
import { createRandom } from "../random.ts";
import { bootstrapMean } from "./bootstrap-mean.ts";

/**
 * The share of hits, with a 95 % interval that redraws whole groups. One hit and one group a row. Throws ProbeError on lengths that differ and hits
 * that are neither true nor false, InvalidRequestError.
 */
export function shareOfGroups(options: {
  hits: readonly boolean[];
  groups: readonly unknown[];
  /** Default 1000. */
  draws?: number;
  seed?: number;
}): Estimate {
  const { hits, groups, draws, seed } = checkOptions(shareSchema, options, "shareOfGroups");
  refuseOtherLength(groups, hits.length, "groups", "shareOfGroups");
  const { index, count } = indexGroups(groups);
  return bootstrapMean({
    values: Array.from(binaryLabels(hits, "shareOfGroups")),
    groupOf: index,
    groups: count,
    draws,
    random: createRandom(seed, "bootstrap"),
    absent: "there is no row",
  });
}

const shareSchema = z.strictObject({
  hits: arraySchema<boolean>("true and false, one a row"),
  groups: arraySchema<unknown>("group names, one a row"),
  draws: z.int().min(1).default(1000),
  seed: z.number().default(0),
});
