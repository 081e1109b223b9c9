import { expect, test } from "vitest";
import { coverage } from "./coverage.ts";
import { designs } from "./designs.ts";

test("redrawn groups hold the true AUROC about as often as they say, redrawn rows do not", () => {
  const [within, constant] = designs;
  const options = { sets: 60, draws: 200, rowDraws: 60, seed: 1 };
  // 60 sets: a share of 95 % has a standard deviation of 3 %. The ten seeds of 2000 sets each are in docs/statistics.md.
  const one = coverage(constant!, options);
  expect(one.adjusted).toBeGreaterThan(0.85);
  expect(one.rows).toBeLessThan(0.75);
  expect(coverage(within!, options).adjusted).toBeGreaterThan(0.85);
});
