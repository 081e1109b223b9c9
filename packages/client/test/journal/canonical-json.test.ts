import fc from "fast-check";
import { expect, it } from "vitest";
import { canonicalJSON } from "../../src/journal/canonical-json.ts";

it("is one text for equal values, whatever the order of their keys, and another for others", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
      expect(JSON.parse(canonicalJSON(a))).toEqual(JSON.parse(JSON.stringify(a)));
      expect(canonicalJSON(turned(a))).toBe(canonicalJSON(a));
      const same = JSON.stringify(turned(turned(a))) === JSON.stringify(turned(turned(b)));
      if (canonicalJSON(a) === canonicalJSON(b)) expect(JSON.parse(canonicalJSON(a))).toEqual(b);
      else expect(same).toBe(false);
    }),
  );
  expect(canonicalJSON({ b: 1, a: undefined, c: [undefined] })).toBe('{"b":1,"c":[null]}');
});

/** The same value with its keys in the other order. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, field]) => [key, turned(field)]),
  );
}
