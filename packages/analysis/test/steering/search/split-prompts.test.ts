import fc from "fast-check";
import { expect, test } from "vitest";
import { splitPrompts } from "../../../src/steering/search/split-prompts.ts";

test("whole groups lie in one half, both halves have both answers, and nothing is lost", () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 4, maxLength: 20 });
  fc.assert(
    fc.property(sizes, fc.integer(), (groups, seed) => {
      const prompts = groups.flatMap((size, g) =>
        Array.from({ length: 2 * size }, (_, i) => ({ group: `g${g}`, from: (i % 2) as 0 | 1 })),
      );
      const { choose, estimate } = splitPrompts(prompts, seed);
      const groupsOf = (half: number[]) => new Set(half.map((prompt) => prompts[prompt]!.group));
      expect([...groupsOf(choose)].filter((group) => groupsOf(estimate).has(group))).toEqual([]);
      expect([...choose, ...estimate].sort((a, b) => a - b)).toEqual([...prompts.keys()]);
      for (const half of [choose, estimate])
        expect(new Set(half.map((prompt) => prompts[prompt]!.from)).size).toBe(2);
    }),
  );
});

test("one group cannot be halved", () => {
  expect(() => splitPrompts([{ group: "a" }, { group: "a" }], 0)).toThrow(/at least 2 groups/);
});
