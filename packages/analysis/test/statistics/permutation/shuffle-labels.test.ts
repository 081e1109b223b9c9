import { expect, test } from "vitest";
import { shuffleLabels } from "../../../src/statistics/permutation/shuffle-labels.ts";
import { createRandom } from "../../../src/statistics/random.ts";

const random = () => createRandom(1, "test");

test("labels that vary in a group are shuffled inside it", () => {
  const groupOf = Uint32Array.from({ length: 200 }, (_, row) => row >> 1);
  const labels = Uint8Array.from(groupOf, (_, row) => row % 2);
  const shuffled = shuffleLabels({ labels, groupOf, random: random() });
  for (let group = 0; group < 100; group++) expect(shuffled[2 * group]! + shuffled[2 * group + 1]!).toBe(1);
  const moved = shuffled.filter((label, row) => label !== labels[row]).length;
  expect(moved).toBeGreaterThan(60);
  expect(moved).toBeLessThan(140);
});

test("groups of one class exchange classes whole", () => {
  const groupOf = Uint32Array.from({ length: 300 }, (_, row) => Math.floor(row / 3));
  const labels = Uint8Array.from(groupOf, (group) => (group < 40 ? 1 : 0));
  const shuffled = shuffleLabels({ labels, groupOf, random: random() });
  const classes = Array.from(
    { length: 100 },
    (_, group) => new Set(shuffled.slice(3 * group, 3 * group + 3)),
  );
  expect(classes.every((seen) => seen.size === 1)).toBe(true);
  expect(classes.filter((seen) => seen.has(1)).length).toBe(40);
  expect(classes.slice(0, 40).filter((seen) => seen.has(1)).length).toBeLessThan(30);
});
