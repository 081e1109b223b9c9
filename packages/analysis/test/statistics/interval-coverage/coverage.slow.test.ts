import { expect, test } from "vitest";
import { coverage } from "./coverage.ts";
import { designs } from "./designs.ts";

test.each(designs.slice(0, 2))(
  "$name: 95 % intervals hold the true AUROC in 93.5 to 96.5 % of 2000 sets; redrawn rows do not",
  { timeout: 300_000 },
  (design) => {
    const shares = coverage(design, { sets: 2000, draws: 500, rowDraws: 100, seed: 1 });
    for (const share of [shares.adjusted, shares.delong]) {
      expect(share).toBeGreaterThanOrEqual(0.935);
      expect(share).toBeLessThanOrEqual(0.965);
    }
    expect(shares.rows).toBeLessThan(0.935);
  },
);
