import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { direction } from "../../../src/steering/direction.ts";
import { parseSteering } from "../../../src/steering/expression/parse-steering.ts";
import { steeringExpression } from "../../../src/steering/expression/steering-expression.ts";
import { printSteering } from "../../../src/steering/expression/steering-terms.ts";
import { checkSteering } from "../../../src/steering/steering-request.ts";
import { codeOf } from "../code-of.ts";

const fields = (text: string) => parseSteering(text).map(({ column: _column, ...term }) => term);
const term = (more: object) => ({ factor: 1, name: "truth", layers: [12], normMatch: false, ...more });

describe("parseSteering", () => {
  it.each([
    ["truth@12", [term({})]],
    ["-truth@12", [term({ factor: -1 })]],
    [" + .5*truth@12 ", [term({ factor: 0.5 })]],
    ["1e-2 truth@12", [term({ factor: 0.01 })]],
    ["0 truth@12", [term({ factor: 0 })]],
    ["truth@3,12:14, 8", [term({ layers: [3, 8, 12, 13, 14] })]],
    ["truth@12 from 16", [term({ from: 16 })]],
    ["truth@12 at 0,4:5", [term({ positions: [0, 4, 5] })]],
    ["0.5 truth@12 from 3 at 1 norm", [term({ factor: 0.5, from: 3, positions: [1], normMatch: true })]],
    [
      "0.8 truth@12 - 0.3 length@12:14",
      [term({ factor: 0.8 }), term({ factor: -0.3, name: "length", layers: [12, 13, 14] })],
    ],
    ["truth@12-length@3", [term({}), term({ factor: -1, name: "length", layers: [3] })]],
    ["truth@12 norm+a.b-c_2@3", [term({ normMatch: true }), term({ name: "a.b-c_2", layers: [3] })]],
  ])("%s", (text, expected) => {
    expect(fields(text)).toEqual(expected);
  });

  it.each([
    ["", 1, "expected a number or the name of a direction, found the end"],
    ["0.8", 4, 'expected a space or "*"'],
    ["0.8truth@12", 4, 'expected a space or "*" after the number 0.8, found "truth@12"'],
    ["truth", 6, 'expected "@" and a layer after truth, found the end'],
    ["truth@", 7, "expected a layer from 0"],
    ["truth@-1", 7, "expected a layer from 0, found"],
    ["truth@ 12", 7, "expected a layer from 0"],
    ["truth@1.5", 8, 'expected "+", "-" or the end'],
    ["truth@12:", 10, "expected the range's end"],
    ["truth@14:12", 7, "the range 14:12 runs backwards"],
    ["truth@12,3,12", 12, "12 is named twice"],
    ["truth@0:4096", 7, "a range of 4097; at most 4096"],
    ["truth@12 length@3", 10, 'expected "+" or "-" between terms, found "length@3"'],
    ["truth@12 + + length@3", 12, "expected a number or the name"],
    ["truth@12 from 3 from 4", 17, 'expected "+" or "-" between terms'],
    ["truth@12 at", 10, 'expected "+" or "-" between terms'],
    ["truth@12 at -1", 13, "expected a position from 0"],
    ["truth@12 norm truth@3", 15, 'expected "+" or "-"'],
    ["1e999 truth@12", 1, "1e999 is too large"],
    ["truth@12 - 1e-400 truth@12", 12, "1e-400 is too small for a number: it would be 0"],
    ["at@12", 1, '"at" is a word of expressions'],
    ["truth@12 +", 11, "expected a number or the name of a direction, found the end"],
  ])("%s: column %i, %s", (text, column, message) => {
    expect(() => parseSteering(text)).toThrow(message);
    expect(() => parseSteering(text)).toThrow(
      expect.objectContaining({ code: "steering_expression", data: { column } }),
    );
  });

  it("points at the fault", () => {
    expect(() => parseSteering("0.8 truth@12 - 0.3 length")).toThrow(
      "\n  0.8 truth@12 - 0.3 length\n                           ^",
    );
    expect(() => parseSteering(`${"a@1 + ".repeat(100)}?`)).toThrow(/\n {2}.{60}\?\n {62}\^$/);
  });

  it("reads what it prints, and prints that again", () => {
    const list = (max: number) =>
      fc.uniqueArray(fc.nat(max), { minLength: 1, maxLength: 9 }).map((all) => all.sort((a, b) => a - b));
    const name = fc
      .stringMatching(/^[A-Za-z_][A-Za-z0-9_.-]{0,12}$/)
      .filter((one) => !["at", "from", "norm"].includes(one));
    const terms = fc.array(
      fc.record(
        {
          factor: fc.oneof(
            fc.double({ noNaN: true, noDefaultInfinity: true }),
            fc.constantFrom(1, -1, 0, -0),
          ),
          name,
          layers: list(40),
          from: fc.nat(99),
          positions: list(900),
          normMatch: fc.boolean(),
        },
        { requiredKeys: ["factor", "name", "layers", "normMatch"] },
      ),
      { minLength: 1, maxLength: 6 },
    );
    fc.assert(
      fc.property(terms, (given) => {
        const text = printSteering(given);
        expect(fields(text)).toEqual(given);
        expect(printSteering(parseSteering(text))).toBe(text);
      }),
    );
  });

  it("gives every text terms or an error with a column", () => {
    const pieces = fc.constantFrom(
      "0.8",
      " ",
      "truth",
      "@",
      "12",
      ":",
      ",",
      "at",
      "from",
      "norm",
      "-",
      "+",
      "*",
      "1e",
      ".",
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(pieces).map((all) => all.join("")),
        ),
        (text) => {
          try {
            expect(parseSteering(text).length).toBeGreaterThan(0);
          } catch (error) {
            const { code, data } = error as { code: string; data: { column: number } };
            expect(code).toBe("steering_expression");
            expect(data.column).toBeGreaterThan(0);
            expect(data.column).toBeLessThanOrEqual(text.length + 1);
          }
        },
      ),
    );
  });
});

describe("steeringExpression", () => {
  const at = (layer: number, ...vector: number[]) => direction({ layer, vector, method: "m" });
  const directions = { truth: at(12, 1, 2), length: [at(12, 3, 4), at(13, 5, 6)] };

  it("makes one vector of each term", () => {
    const [first, second] = steeringExpression("0.8 truth@12 at 3,1 norm - 0.3 length@12:13", { directions });
    expect(first).toMatchObject({ layers: [12], scale: 0.8, normMatch: true, positions: [1, 3] });
    expect(second).toMatchObject({ layers: [12, 13], scale: -0.3, normMatch: false, positions: null });
    expect(second?.rows.map((row) => [...row])).toEqual([
      [3, 4],
      [5, 6],
    ]);
    const moved = steeringExpression("truth@2:3 from 12", {
      directions: new Map(Object.entries(directions)),
    });
    expect(moved[0]).toMatchObject({ layers: [2, 3], rows: [Float32Array.of(1, 2), Float32Array.of(1, 2)] });
  });

  it.each([
    ["1e39 truth@12", "steering_scale"],
    ["1e-46 truth@12", "steering_scale"],
    ["3e38 truth@12", "steering_not_finite"],
    ["1e308 truth@12 norm", "steering_scale"],
    ["3e38 truth@12 norm", "steering_not_finite"],
    ["0e-400 truth@12", "taken"],
    ["1e-44 truth@12", "taken"],
  ])("%s: %s, of what float32 and bfloat16 hold", (text, code) => {
    expect(codeOf(() => steeringExpression(text, { directions }))).toBe(code);
  });

  it.each([
    ["expression: null given", () => steeringExpression(null as never, { directions })],
    ["expression: 3 given", () => parseSteering(3 as never)],
    ["directions: nothing given", () => steeringExpression("truth@12", undefined as never)],
    ["directions: a string given", () => steeringExpression("truth@12", { directions: "truth" as never })],
    ["truth: 5 given", () => steeringExpression("truth@12", { directions: { truth: 5 as never } })],
  ])("%s", (says, make) => {
    expect(codeOf(make)).toBe("steering_option");
    expect(make).toThrow(`${says}; allowed: `);
  });

  it("leaves the number of terms to the limit of the request", () => {
    const vectors = (terms: number) =>
      steeringExpression(Array.from({ length: terms }, () => "truth@12").join(" + "), { directions });
    const target = { hiddenSize: 2, layers: 30, positions: 4 };
    expect(codeOf(() => checkSteering(vectors(8), target))).toBe("taken");
    expect(codeOf(() => checkSteering(vectors(9), target))).toBe("steering_too_many");
  });

  it("refuses what is not there, at its place, and guesses no layer", () => {
    const codes = (text: string) => codeOf(() => steeringExpression(text, { directions }));
    expect(codes("nothing@12")).toBe("direction_unknown");
    expect(codes("toString@12")).toBe("direction_unknown");
    expect(codes("truth@13")).toBe("steering_layer");
    expect(codes("truth@12 from 3")).toBe("steering_layer");
    expect(() => steeringExpression("length@12 + truth@13", { directions })).toThrow(
      "column 11: truth has no row for layer 13; it has 12. To put one of them elsewhere, say so: truth@13 from 12\n  length@12 + truth@13\n            ^",
    );
  });
});
