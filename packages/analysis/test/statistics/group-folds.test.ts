import fc from "fast-check";
import { expect, test } from "vitest";
import { groupFolds } from "../../src/statistics/group-folds.ts";

test("P2: every group lies in exactly one fold, no fold is empty, and the seed decides", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 200 }),
      fc.integer({ min: 2, max: 6 }),
      fc.nat(1000),
      (groups, folds, seed) => {
        fc.pre(new Set(groups).size >= folds);
        const foldOf = groupFolds({ groups, folds, seed });
        const foldsOfGroup = new Map<number, Set<number>>();
        groups.forEach((group, row) => {
          const seen = foldsOfGroup.get(group) ?? new Set();
          foldsOfGroup.set(group, seen.add(foldOf[row]!));
        });
        for (const seen of foldsOfGroup.values()) expect(seen.size).toBe(1);
        expect(new Set(foldOf).size).toBe(folds);
        expect(groupFolds({ groups, folds, seed })).toEqual(foldOf);
      },
    ),
  );
});

test("equal groups are dealt evenly, in rows and in classes", () => {
  const groups = Array.from({ length: 800 }, (_, row) => `city ${row >> 1}`);
  const labels = groups.map((_, row) => row % 2);
  const foldOf = groupFolds({ groups, labels, folds: 5, seed: 1 });
  for (let fold = 0; fold < 5; fold++) {
    expect(foldOf.filter((f) => f === fold).length).toBe(160);
    expect(labels.filter((label, row) => foldOf[row] === fold && label === 1).length).toBe(80);
  }
});

test("classes that are constant in a group are balanced as far as whole groups allow", () => {
  const groups = Array.from({ length: 300 }, (_, row) => Math.floor(row / 3));
  const labels = groups.map((group) => (group % 10 === 0 ? 1 : 0));
  const foldOf = groupFolds({ groups, labels, folds: 5, seed: 2 });
  for (let fold = 0; fold < 5; fold++) {
    expect(labels.filter((label, row) => foldOf[row] === fold && label === 1).length).toBe(6);
  }
});

test("P5: too few groups and folds without a class are refused in words", () => {
  expect(() => groupFolds({ groups: ["a", "a", "b"], folds: 3, seed: 0 })).toThrow(
    /at least 3 groups, and there are 2/,
  );
  const groups = ["a", "b", "c", "d"];
  expect(() => groupFolds({ groups, labels: [1, 0, 0, 0], folds: 2, seed: 0 })).toThrow(
    /holds 1 of 2 classes/,
  );
  expect(() => groupFolds({ groups: ["a", null, "b"], folds: 2, seed: 0 })).toThrow(/Row 1 has no group/);
  expect(() => groupFolds({ groups, folds: 1, seed: 0 })).toThrow(/folds is 1/);
});
