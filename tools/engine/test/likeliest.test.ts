import fc from "fast-check";
import { expect, test } from "vitest";
import { likeliest } from "../src/likeliest.ts";

test("the ids of the highest scores in falling order, of equals the lower id first, as sorting gives them", () => {
  // Few different numbers, so that many are equal; infinities too.
  const number = fc.constantFrom(-Infinity, -2, -1, 0, 0.5, 3, Infinity);
  const scores = fc.array(number, { maxLength: 60 }).map((numbers) => Float32Array.from(numbers));
  fc.assert(
    fc.property(scores, fc.nat(70), (scores, count) => {
      const sorted = [...scores.keys()].sort((a, b) =>
        scores[a] === scores[b] ? a - b : scores[b]! - scores[a]!,
      );
      expect([...likeliest(scores, count)]).toEqual(sorted.slice(0, count));
    }),
  );
});

test("doubles that float32 cannot tell apart are told apart", () => {
  expect([...likeliest(Float64Array.of(1, 1 + 2e-16 * 2, 1 + 2e-16), 2)]).toEqual([1, 2]);
});
