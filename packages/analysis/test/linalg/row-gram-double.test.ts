import fc from "fast-check";
import { expect, test } from "vitest";
import { rowGram } from "../../src/probes/convex/row-gram.ts";
import { createRandom } from "../../src/statistics/random.ts";

test("products of float64 rows are those of plain sums, to 1e-12", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 21 }),
      fc.constantFrom(1, 2, 3, 7, 255, 256, 257, 1025),
      (rows, width) => {
        const random = createRandom(rows * width, "row gram");
        const values = Float64Array.from({ length: rows * width }, () => random.gaussian());
        const gram = rowGram(values, rows, width);
        for (let i = 0; i < rows; i++) {
          for (let k = 0; k < rows; k++) {
            let sum = 0;
            for (let j = 0; j < width; j++) sum += values[i * width + j]! * values[k * width + j]!;
            expect(Math.abs(gram[i * rows + k]! - sum)).toBeLessThan(1e-12 * width);
          }
        }
      },
    ),
    { numRuns: 40 },
  );
});
