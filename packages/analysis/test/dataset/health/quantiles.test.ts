import fc from "fast-check";
import { expect, test } from "vitest";
import { summarise } from "../../../src/dataset/health/quantiles.ts";

test("of numbers near the largest and the least that there are", () => {
  const large = summarise(Float64Array.of(-1.7e308, 1.7e308))!;
  expect([large.mean, large.sd]).toEqual([0, 1.7e308]);
  expect(large.quantiles.p50).toBe(0);
  expect(large.quantiles.p25).toBeCloseTo(-0.85e308, -300);
  const same = summarise(new Float64Array(5).fill(1.6e308))!;
  expect([same.mean, same.sd, same.quantiles.p95]).toEqual([1.6e308, 0, 1.6e308]);
  const least = summarise(Float64Array.of(0, 2e-320))!;
  expect([least.mean, least.sd]).toEqual([1e-320, 1e-320]);
  expect(summarise(Float64Array.of(0, 0))).toMatchObject({ mean: 0, sd: 0 });
});

test("scaled by a power of two, all of it is scaled and nothing else changes", () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.double({ min: -8, max: 8, noNaN: true }).map((value) => Math.fround(value)),
        { minLength: 1 },
      ),
      fc.constantFrom(2 ** 1019, 2 ** 600, 2 ** -600, 2 ** -800),
      (values, factor) => {
        const whole = values.map((value) => Math.round(value * 1024) / 1024);
        const plain = summarise(Float64Array.from(whole))!;
        const scaled = summarise(Float64Array.from(whole, (value) => value * factor))!;
        for (const name of ["mean", "sd", "min", "max"] as const)
          expect(scaled[name] / factor).toBeCloseTo(plain[name], 12);
        for (const [name, value] of Object.entries(plain.quantiles))
          expect(scaled.quantiles[name as "p50"] / factor).toBeCloseTo(value, 12);
      },
    ),
    { numRuns: 50 },
  );
});
