import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expandRequest, fansOut, shapeOfList } from "../../src/fan-out/expand-request.ts";

const prompts = fc.oneof(
  fc.array(fc.string(), { minLength: 1, maxLength: 5 }),
  fc.array(fc.array(fc.nat(), { minLength: 1 }), { minLength: 1, maxLength: 5 }),
);

describe("a request of several", () => {
  it("becomes singles in the order p · n + i, choice i of every prompt with the seed + i", () => {
    fc.assert(
      fc.property(prompts, fc.integer({ min: 1, max: 6 }), fc.option(fc.nat()), (prompt, n, seed) => {
        const given = { prompt, n, seed, temperature: 1, stop: ["."] };
        const singles = [...expandRequest(given, shapeOfList(given))];
        expect(singles).toHaveLength(prompt.length * n);
        singles.forEach((single, at) => {
          const [p, i] = [Math.floor(at / n), at % n];
          const own = seed === null ? null : seed + i;
          const request = { prompt: prompt[p], temperature: 1, stop: ["."], seed: own };
          expect(single).toEqual({ prompt: p, choice: i, request });
        });
      }),
    );
  });

  it("is told from a request of one", () => {
    for (const prompt of ["The", [1, 2, 3], undefined]) {
      expect(fansOut({ prompt })).toBe(false);
      expect(shapeOfList({ prompt })).toEqual({ prompts: [prompt], n: 1 });
      expect(fansOut({ prompt, n: 1 })).toBe(true);
    }
    for (const prompt of [["The"], [[1, 2]], [], [1, "a"]]) expect(fansOut({ prompt })).toBe(true);
  });

  it("is refused where its choices could not be what was asked for", () => {
    const refused = (fields: object, temperature?: number) => {
      try {
        shapeOfList({ prompt: "The", ...fields }, temperature);
      } catch (error) {
        return (error as { issues: { field: string }[] }).issues.map(({ field }) => field);
      }
      return [];
    };
    for (const n of [0, -1, 1.5, NaN, "2", 2 ** 60]) expect(refused({ n }), String(n)).toEqual(["n"]);
    expect(refused({ prompt: [] })).toEqual(["prompt"]);
    // All choices would be the same, and servers refuse it.
    expect(refused({ n: 2, temperature: 0 })).toEqual(["n"]);
    expect(refused({ n: 2 }, 0)).toEqual(["n"]);
    expect(refused({ n: 2, temperature: 0.5 }, 0)).toEqual([]);
    expect(refused({ n: 1, temperature: 0 })).toEqual([]);
    // vLLM takes −1 for no seed, but not where it comes about by counting.
    expect(refused({ n: 2, seed: -1 })).toEqual(["seed"]);
    expect(refused({ n: 3, seed: -3 })).toEqual(["seed"]);
    expect(refused({ n: 2, seed: -3 })).toEqual([]);
    expect(refused({ n: 1, seed: -1 })).toEqual([]);
  });
});
