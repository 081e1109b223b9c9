import { describe, expect, it } from "vitest";
import {
  lastK,
  meanOf,
  readSelection,
  type RowSelection,
  span,
  type SpanOptions,
} from "../../src/select/selection.ts";

describe("builders", () => {
  it("are data that JSON keeps, a pattern too", () => {
    const selection = meanOf(span({ pattern: /a+/iu, of: "all", occurrence: 2, cut: "outer" }));
    expect(selection).toEqual({
      kind: "mean",
      bos: "out",
      over: {
        kind: "span",
        target: { pattern: { source: "a+", flags: "iu" } },
        area: "all",
        occurrence: 2,
        cut: "outer",
      },
    });
    expect(readSelection(JSON.parse(JSON.stringify(selection)))).toEqual(selection);
    expect(Object.isFrozen(selection)).toBe(true);
  });

  it.each<[string, () => unknown, string]>([
    ["k", () => lastK(0), "lastK: k"],
    ["nothing", () => span({}), "selection: target: one of text, pattern, role, characters"],
    ["two", () => span({ text: "a", pattern: /a/ }), "selection: target: one of text"],
    [
      "role and text",
      () => span({ role: "prompt", text: "a" }),
      "span: role and text given; allowed: role alone",
    ],
    ["tokens of an area", () => span({ tokens: { from: 0, to: 1 }, of: "generated" }), "tokens and of given"],
    ["an empty text", () => span({ text: "" }), "selection: target"],
    ["an empty range", () => span({ tokens: { from: 3, to: 3 } }), "from must be before to"],
    ["a cut", () => span({ text: "a", cut: "half" } as unknown as SpanOptions), "span: options.cut"],
    ["pooling twice", () => meanOf(meanOf(lastK(2)) as unknown as RowSelection), "selection: over"],
    [
      "a bad pattern",
      () =>
        readSelection({
          kind: "span",
          target: { pattern: { source: "(", flags: "" } },
          area: "all",
          occurrence: "all",
          cut: "inner",
        }),
      "selection: target",
    ],
    ["another kind", () => readSelection({ kind: "middle" }), "selection: "],
    ["no object", () => readSelection("last"), "selection: "],
  ])("refuse %s", (_, make, message) => {
    expect(make).toThrow(
      expect.objectContaining({
        code: "invalid_option",
        message: expect.stringContaining(message) as string,
      }) as Error,
    );
  });
});
