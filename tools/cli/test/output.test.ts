import { expect, test } from "vitest";
import { alignColumns } from "../src/output.ts";

test("columns align: words to the left, numbers to the right", () => {
  expect(
    alignColumns([
      ["layer", "AUROC"],
      ["0", "0.5"],
      ["12", "0.998"],
    ]),
  ).toBe("layer  AUROC\n0        0.5\n12     0.998");
});
