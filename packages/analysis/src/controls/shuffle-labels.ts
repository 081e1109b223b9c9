import type { Random } from "../statistics/random.ts";

/**
 * Labels that say nothing but keep the structure: within groups where labels vary, shuffled among the group's rows; groups
 * of one class exchange their classes among each other, whole. Group sizes and (nearly) class shares stay.
 */
export function shuffleLabels(options: {
  labels: Uint8Array;
  groupOf: Uint32Array;
  random: Random;
}): Uint8Array {
  const { labels, groupOf, random } = options;
  const rowsOf = new Map<number, number[]>();
  groupOf.forEach((group, row) => {
    const rows = rowsOf.get(group);
    if (rows) rows.push(row);
    else rowsOf.set(group, [row]);
  });
  const shuffled = new Uint8Array(labels.length);
  const constant: number[][] = [];
  for (const rows of rowsOf.values()) {
    const own = rows.map((row) => labels[row]!);
    if (own.every((label) => label === own[0])) constant.push(rows);
    else random.shuffle(own).forEach((label, i) => (shuffled[rows[i]!] = label));
  }
  const classes = random.shuffle(constant.map((rows) => labels[rows[0]!]!));
  constant.forEach((rows, i) => rows.forEach((row) => (shuffled[row] = classes[i]!)));
  return shuffled;
}
