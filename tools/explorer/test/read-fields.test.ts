import fc from "fast-check";
import { expect, test } from "vitest";
import { readFields } from "../src/panes/read-fields.ts";

const fields = (given: Record<string, string>) => readFields(new URLSearchParams(given));
const limits = { label: "Scale", least: -2, most: 2, otherwise: 0.5 };

test("a text comes back as it was typed, whatever is in it", () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, unit: "grapheme" }), (text) => {
      const typed = text.replace(/\r\n?/g, "\n");
      // As a form sends it: every line end is two characters.
      const body = new URLSearchParams({ prompt: typed.replace(/\n/g, "\r\n") }).toString();
      expect(readFields(new URLSearchParams(body)).text("prompt", "")).toBe(typed);
    }),
  );
});

test("an empty field counts as none", () => {
  expect(fields({ a: "" }).maybe("a")).toBeUndefined();
  expect(fields({ a: "" }).number("a", limits)).toBe(0.5);
});

test("a number within its limits is read", () => {
  expect(fields({ a: " -1.5e0 " }).number("a", limits)).toBe(-1.5);
});

test.each(["three", "2.01", "-3", "NaN", "Infinity", "0x1g", "1,5"])(
  "%s is refused with what is allowed",
  (given) => {
    expect(() => fields({ a: given }).number("a", limits)).toThrow(
      `Scale: ${JSON.stringify(given)} given; allowed: a number from -2 to 2.`,
    );
  },
);

test("a fraction is refused where a whole number is needed", () => {
  expect(() => fields({ a: "1.5" }).number("a", { ...limits, whole: true })).toThrow(
    "a whole number from -2 to 2",
  );
});

test("a word is one of those allowed, the first where none was sent", () => {
  expect(fields({}).word("order", ["row", "high"])).toBe("row");
  expect(() => fields({ order: "random" }).word("order", ["row", "high"])).toThrow(
    "allowed: one of row, high",
  );
});
