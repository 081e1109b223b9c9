import fc from "fast-check";
import { expect, test } from "vitest";
import { parseExact, stringifyExact } from "../../src/examples/read/exact-json.ts";
import type { Cell } from "../../src/examples/read/source-table.ts";

test("J3: any value with whole numbers of any size comes back from its text, digit by digit", () => {
  const text = fc.string({
    unit: fc.constantFrom('"', "\\", "9007199254740993", "NaN", "-Infinity", "é", ":", "{"),
  });
  const { value } = fc.letrec<{ value: Cell }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constant(null),
      fc.boolean(),
      text,
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((x) => (Number.isInteger(x) ? 0.5 : x)),
      fc.integer(),
      fc.bigInt().filter((n) => !Number.isSafeInteger(Number(n))),
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(text, tie("value"), { maxKeys: 4, noNullPrototype: true }),
    ),
  }));
  fc.assert(
    fc.property(value, (one) => {
      expect(parseExact(stringifyExact(one))).toEqual(one);
      expect(parseExact(stringifyExact(one), { constants: true })).toEqual(one);
    }),
  );
});

test.each([
  [
    "[1.00000000000000000001, 12345678901234567890e0, -9007199254740993]",
    [1, 12345678901234567000, -9007199254740993n],
  ],
  ['{"9007199254740993": 9007199254740993}', { "9007199254740993": 9007199254740993n }],
  ["9007199254740991", 9007199254740991],
])("%s", (text, value) => {
  expect(parseExact(text)).toEqual(value);
});

test("constants are null where they are allowed, and no JSON elsewhere", () => {
  expect(parseExact('[NaN, -Infinity, "NaN"]', { constants: true })).toEqual([null, null, "NaN"]);
  expect(() => parseExact("[NaN, 1234567890123456789]")).toThrow(SyntaxError);
});

test("the marks of big numbers cannot be forged", () => {
  const forged = '[{"\\u0000exact": "7"}, 9007199254740993]';
  expect(parseExact(forged)).not.toEqual([7n, 9007199254740993n]);
});
