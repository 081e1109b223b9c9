import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { gateSchema, tryGate } from "../../src/pipeline/gate.ts";

const gate = (text: string) => gateSchema.parse(text);
const sweep = {
  kind: "layer-sweep",
  chosen: { layer: 3, outerScore: { value: 0.9, low: 0.8, high: null }, permutation: { correctedP: null } },
  n: 120,
};

describe("a gate", () => {
  test.each([
    ["auroc.low >= 0.8", 0.8, true],
    ["auroc.low > 0.8", 0.8, false],
    ["auroc >= 0.95", 0.9, false],
    ["chosen.outerScore.value<1", 0.9, true],
    ["layer == 3", 3, true],
    ["n <= 1.2e2", 120, true],
  ])("%s is of %d: %s", (text, value, passed) => {
    expect(tryGate(gate(text), sweep)).toEqual({ gate: text, value, passed });
  });

  test.each([
    ["auroc.high >= 0", "it is not defined"],
    ["p <= 0.05", "it is not defined"],
    ["auroc.lower >= 0.8", 'the result has no "lower"; there are value, low, high'],
    ["n.x >= 0", 'the result has no "x" there'],
    ["kind >= 0", "it is no number but string"],
    ["constructor >= 0", 'the result has no "constructor"; there are kind, chosen, n'],
  ])("%s passes not, and says why", (text, reason) => {
    expect(tryGate(gate(text), sweep)).toEqual({ gate: text, value: null, passed: false, reason });
  });

  test.each(["auroc", "auroc.low => 0.8", "0.8 <= auroc", "auroc.low >= high", "a..b > 1", ""])(
    "%j is no gate",
    (text) => {
      expect(gateSchema.safeParse(text).error!.issues[0]!.message).toMatch(/such as auroc\.low >= 0\.8/);
    },
  );

  test("compares any number as JavaScript does", () => {
    const number = fc.double({ noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(number, number, (value, bound) => {
        const met = (operator: string) => tryGate(gate(`x ${operator} ${bound}`), { x: value }).passed;
        expect([met(">="), met("<"), met("<="), met(">"), met("==")]).toEqual([
          value >= bound,
          value < bound,
          value <= bound,
          value > bound,
          value === bound,
        ]);
      }),
    );
  });
});
