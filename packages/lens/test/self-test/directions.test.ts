import fc from "fast-check";
import { expect, test } from "vitest";
import { bf16ToFloat32, float32ToBf16 } from "../../src/codec/bfloat16.ts";
import { makeDirections } from "../../src/self-test/directions.ts";
import { factorOf, relativeError, shownError } from "../../src/self-test/row-numbers.ts";
import { dot, norm } from "../../src/steering/norm.ts";

const width = 96;
const row = fc
  .array(fc.integer({ min: -50, max: 50 }), { minLength: width, maxLength: width })
  .map((values) => Float32Array.from(values, (value) => value / 8 + 0.01));

test("directions are orthogonal to the rows and to each other, half as long as a row, and exact in bfloat16", () => {
  fc.assert(
    fc.property(fc.array(row, { minLength: 3, maxLength: 20 }), (rows) => {
      const directions = makeDirections(rows, 4);
      for (const [i, direction] of directions.entries()) {
        expect(bf16ToFloat32(float32ToBf16(direction))).toEqual(direction);
        const own = rows
          .slice(1)
          .map(norm)
          .sort((a, b) => a - b);
        expect(norm(direction) / own[Math.floor(own.length / 2)]!).toBeCloseTo(0.5, 1);
        for (const other of [...rows, ...directions.slice(0, i)])
          expect(Math.abs(dot(direction, other)) / norm(direction) / norm(other)).toBeLessThan(0.02);
      }
    }),
    { numRuns: 30 },
  );
});

test("a coordinate that is very large in one row is left out, so that bfloat16 shows the rest", () => {
  const rows = Array.from({ length: 4 }, (_, p) =>
    Float32Array.from({ length: width }, (_, i) => Math.sin(i * 7 + p)),
  );
  rows[0]![5] = 22_000;
  const [direction] = makeDirections(rows, 1);
  expect(direction![5]).toBe(0);
  const steered = bf16ToFloat32(float32ToBf16(rows[0]!.map((value, i) => value + direction![i]!)));
  const before = bf16ToFloat32(float32ToBf16(rows[0]!));
  expect(
    shownError(
      steered.map((value, i) => value - before[i]!),
      direction!,
    ),
  ).toBeLessThan(0.02);
});

test("the relative error tells rows apart that a cosine does not", () => {
  const a = Float32Array.from({ length: width }, (_, i) => 1 + i / 100);
  const b = a.map((value) => 1.1 * value);
  expect(dot(a, b) / norm(a) / norm(b)).toBeCloseTo(1, 5);
  expect(relativeError(b, a)).toBeCloseTo(0.1, 5);
  expect(factorOf(b, a)).toBeCloseTo(1.1, 5);
});
