import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ByteCursor } from "../../../src/formats/files/byte-cursor.ts";
import { PickleGlobal, type PickleValue } from "../../../src/formats/pickle/pickle-value.ts";
import { unpickle } from "../../../src/formats/pickle/unpickle.ts";
import { refusal } from "../refusal.ts";

const world = {
  globals: new Map([
    ["m f", new PickleGlobal("m f", (args) => args.length)],
    ["m c", new PickleGlobal("m c")],
  ]),
  persistent: (id: PickleValue) => id,
};
/** A pickle as text, one character a byte. */
const read = (text: string) =>
  unpickle(new ByteCursor(new Uint8Array(Buffer.from(text, "latin1")), "x.pt"), world);

describe("pickles", () => {
  it.each<[string, PickleValue]>([
    ["\u0080\u0002N.", null],
    ["(K\u0001M\u0001\u0002J\u00ff\u00ff\u00ff\u00fft.", [1, 513, -1]],
    ["\u008a\u0001\u0080.", -128],
    ["\u008a\u0000.", 0],
    ["\u008a\u0009\0\0\0\0\0\0\0\0\u0001.", 2n ** 64n],
    ["G\u003f\u00f0\0\0\0\0\0\0.", 1],
    ["\u008c\u0002hi\u0094.", "hi"],
    ["(K\u0001K\u0002l.", [1, 2]],
    ["cm\nf\n(K\u0001K\u0002tR.", 2],
    ["\u008c\u0001m\u008c\u0001f\u0093)R.", 0],
  ])("%j", (text, value) => {
    expect(read(text)).toEqual(value);
  });

  it("a list that holds itself is read", () => {
    const list = read("]q\0h\0a.") as PickleValue[];
    expect(list[0]).toBe(list);
  });

  it.each([
    ["format_refused", 'names "os.system"', "cos\nsystem\n(\u008c\u0004lstRt."],
    ["format_refused", 'names "builtins.eval"', "\u008c\u0008builtins\u008c\u0004eval\u0093."],
    ["format_refused", "over 256 bytes", `c${"m".repeat(300)}\nf\n.`],
    ["format_refused", "opcode 0x69", "(imod\nname\n."],
    ["format_refused", "opcode 0x6f", "(o."],
    ["format_refused", "opcode 0x81", "cm\nc\n)\u0081."],
    ["format_refused", "opcode 0x82", "\u0082\u0001."],
    ["format_refused", "opcode 0x49", "I1\n."],
    ["format_refused", "opcode 0x8b", "\u008b\u00ff\u00ff\u00ff\u007f."],
    ["format_invalid", "cannot be called", "cm\nc\n)R."],
    ["format_invalid", "cannot be called", "K\u0001)R."],
    ["format_invalid", "cannot be called", "cm\nf\nK\u0001R."],
    ["format_invalid", "protocol 1", "\u0080\u0001N."],
    ["format_invalid", "value that is not there", "a."],
    ["format_invalid", "value that is not there", "](a."],
    ["format_invalid", "no mark", "N\u0075."],
    ["format_invalid", "not a list", ")K\u0001a."],
    ["format_invalid", "not a dict", "]K\u0001K\u0002s."],
    ["format_invalid", "not a dict", "}(K\u0001u."],
    ["format_invalid", "dict key", "}]K\u0002s."],
    ["format_invalid", "recalls memo 5", "h\u0005."],
    ["format_invalid", "one value", "NN."],
    ["format_invalid", "one value", "(N."],
    ["format_invalid", "not a dict", "]}b."],
    ["format_invalid", "not UTF-8", "\u008c\u0001\u00ff."],
    ["format_invalid", "not text", "K\u0001K\u0002\u0093."],
    ["format_truncated", "asks for", "X\u00ff\u00ff\u00ff\u007fabc."],
    ["format_truncated", "asks for", "\u008d\0\0\0\0\0\0\u0001\0."],
    ["format_too_large", "count", "\u008d\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff."],
    ["format_truncated", "asks for", "N"],
  ])("%s: %s", (code, problem, text) => {
    expect(() => read(text)).toThrow(refusal(code, problem));
  });

  it("no depth is too deep", () => {
    const deep = 200_000;
    let value = read(`${"]".repeat(deep)}${"a".repeat(deep - 1)}.`);
    let depth = 0;
    for (; Array.isArray(value) && value.length > 0; value = (value as PickleValue[])[0]!) depth++;
    expect(depth).toBe(deep - 1);
  });

  it("a list of a thousand lists of a thousand lists and so on, which are one, takes no memory", () => {
    // Level i holds level i − 1 a thousand times, from the memo.
    const levels = Array.from({ length: 60 }, (_, i) => {
      const [below, at] = [String.fromCharCode(i), String.fromCharCode(i + 1)];
      return `]q${at}(${`h${below}`.repeat(1000)}e`;
    });
    const before = process.memoryUsage().heapUsed;
    const top = read(`]q\0${levels.map((level) => `0${level}`).join("")}.`) as PickleValue[];
    expect(top).toHaveLength(1000);
    expect(top[999]).toBe(top[0]);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(64 * 2 ** 20);
  });

  it("any bytes end in FormatError or a value (property)", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        try {
          unpickle(new ByteCursor(bytes, "x"), world);
        } catch (error) {
          expect(error).toMatchObject({ name: "FormatError" });
        }
      }),
      { numRuns: 5000 },
    );
  });
});
