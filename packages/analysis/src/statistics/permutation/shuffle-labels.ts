import { z } from "zod";
import { checkOptions } from "../../options/check-options.ts";
import { arraySchema, refuseOtherLength } from "../checked-arrays.ts";
import { indexGroups } from "../group-folds.ts";
import type { Random } from "../random.ts";

/**
 * Labels that say nothing but keep the structure: within groups where labels vary, shuffled among the group's rows; groups
 * of one class exchange their classes among each other, whole. Group sizes and (nearly) class shares stay.
 * Labels are classes or numbers; the result has their type.
 */
export function shuffleLabels<L extends Uint8Array | Int32Array | Uint32Array | Float64Array>(options: {
  labels: L;
  /** Each row's group. */
  groupOf: ArrayLike<unknown>;
  random: Random;
}): L {
  checkOptions(shuffleSchema, options, "shuffleLabels");
  const { labels, groupOf, random } = options;
  refuseOtherLength(groupOf, labels.length, "groups", "shuffleLabels");
  const { index, count } = indexGroups(groupOf);
  const rowsOf = Array.from({ length: count }, (): number[] => []);
  index.forEach((group, row) => rowsOf[group]!.push(row));
  const shuffled = labels.slice() as L;
  const constant: number[][] = [];
  for (const rows of rowsOf) {
    const own = rows.map((row) => labels[row]!);
    if (own.every((label) => label === own[0])) constant.push(rows);
    else random.shuffle(own).forEach((label, i) => (shuffled[rows[i]!] = label));
  }
  const classes = random.shuffle(constant.map((rows) => labels[rows[0]!]!));
  constant.forEach((rows, i) => rows.forEach((row) => (shuffled[row] = classes[i]!)));
  return shuffled;
}

const shuffleSchema = z.looseObject({
  labels: z.custom<Float64Array>((given) => ArrayBuffer.isView(given), "a typed array of labels"),
  groupOf: arraySchema<unknown>("groups"),
  random: z.custom<Random>(
    (given) => typeof (given as Random | undefined)?.shuffle === "function",
    "a Random, of createRandom",
  ),
});
