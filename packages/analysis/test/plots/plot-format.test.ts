import { describe, expect, it } from "vitest";
import {
  counted,
  estimateText,
  intervalText,
  percent,
  scaleText,
  signed,
} from "../../src/plots/plot-format.ts";

describe("numbers for people", () => {
  it("have true minus signs, and none for zero", () => {
    expect([signed(-1.5), signed(-0.001, 2), signed(0), scaleText(2), scaleText(-0.5), scaleText(0)]).toEqual(
      ["−1.5", "0.00", "0", "+2", "−0.5", "0"],
    );
    expect([percent(0.9625), percent(1), counted(1, "row"), counted(1200, "row")]).toEqual([
      "96.3%",
      "100.0%",
      "1 row",
      "1,200 rows",
    ]);
  });

  it("carry their interval, or the reason why there is none", () => {
    expect(estimateText({ value: 0.5, low: 0.4, high: 0.6 }, percent)).toBe("50.0% (40.0% to 60.0%)");
    expect(estimateText({ value: null, low: null, high: null, reason: "one class" }, percent)).toBe(
      "not defined: one class",
    );
    expect(intervalText({ value: 1, low: null, high: null }, percent)).toBe("no interval");
  });
});
