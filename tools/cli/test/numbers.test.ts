import { expect, test } from "vitest";
import { UsageError } from "../src/usage-error.ts";
import { parseLayers, parseScales, percent, withInterval } from "../src/numbers.ts";

test("layers are whole numbers from 0, or all", () => {
  expect(parseLayers("0,2, 4")).toEqual([0, 2, 4]);
  expect(parseLayers("all")).toBe("all");
  for (const wrong of ["-1", "1.5", "1,,2", "", "last"]) expect(() => parseLayers(wrong)).toThrow(UsageError);
});

test("scales are finite numbers", () => {
  expect(parseScales("-2,0,0.5")).toEqual([-2, 0, 0.5]);
  expect(() => parseScales("1,Infinity")).toThrow('"Infinity" is not allowed');
  expect(() => parseScales("1,")).toThrow(UsageError);
});

test("numbers are shown with what qualifies them", () => {
  expect(percent(0.9867)).toBe("98.7 %");
  expect(percent(1)).toBe("100 %");
  expect(withInterval({ value: 0.5, low: 0.25, high: 0.75 }, 2)).toBe("0.50 [0.25, 0.75]");
  expect(withInterval({ value: 0.5, low: null, high: null }, 2)).toBe("0.50 [no interval]");
  expect(withInterval({ value: null, low: null, high: null })).toBe("undefined");
});
