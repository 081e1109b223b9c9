import fc from "fast-check";
import { expect, test } from "vitest";
import { parseExact, stringifyExact } from "../../src/examples/read/exact-json.ts";
import { ExactNumber, isFaithful } from "../../src/examples/read/exact-number.ts";
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
    "[1.00000000000000000001, 12345678901234567e3, -9007199254740993]",
    [1, 12345678901234567000, -9007199254740993n],
  ],
  ['{"9007199254740993": 9007199254740993}', { "9007199254740993": 9007199254740993n }],
  ["9007199254740991", 9007199254740991],
])("%s", (text, value) => {
  expect(parseExact(text)).toEqual(value);
});

test("numbers that float64 would make others are told from those that it holds, or rounds as every reader does", () => {
  const held =
    "0 -0 0.0 0e999 5 1e23 -1.5e300 0.1 +5 0.30000000000000004 0.12345678901234567890 1700000000.123456789 5e-324 4.9e-324 2.2250738585072014e-308 1.7976931348623157e308 9007199254740992.0 9007199254740994.0 12e-1";
  const changed =
    "1e400 -1e400 1e-400 3e-324 2.5e-324 1.23456789e-320 9007199254740993.0 9.007199254740993e15 900719925474099.3e1 9007199254740993000e-3 12345678901234567890e0 1e99999999999999999999 1e-99999999999999999999";
  for (const text of held.split(" ")) expect(isFaithful(text), text).toBe(true);
  for (const text of changed.split(" ")) {
    expect(isFaithful(text), text).toBe(false);
    const parsed = parseExact(`{"a":[${text}]}`) as { a: Cell[] };
    expect(parsed.a[0]).toBeInstanceOf(ExactNumber);
    expect(stringifyExact(parsed)).toBe(`{"a":[${text}]}`);
  }
  fc.assert(fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (x) => isFaithful(String(x))));
});

test("constants are null where they are allowed, and no JSON elsewhere", () => {
  expect(parseExact('[NaN, -Infinity, "NaN"]', { constants: true })).toEqual([null, null, "NaN"]);
  expect(() => parseExact("[NaN, 1234567890123456789]")).toThrow(SyntaxError);
});

test("the marks of big numbers cannot be forged", () => {
  const forged = '[{"\\u0000exact": "7"}, 9007199254740993]';
  expect(parseExact(forged)).not.toEqual([7n, 9007199254740993n]);
});
