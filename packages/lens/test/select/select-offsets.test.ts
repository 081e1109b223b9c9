import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { select } from "../../src/select/select.ts";
import { SelectionError } from "../../src/select/selection-error.ts";
import { span, type SpanOptions } from "../../src/select/selection.ts";
import { madeCapture, namesOf } from "./made-capture.ts";

const utf8 = new TextEncoder();

/** A text, where its bytes are cut into tokens, and a stretch of its code points. */
const cutText = fc
  .tuple(
    fc.oneof(
      fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }),
      fc
        .array(fc.constantFrom("a", " ", "é", "日", "😀", "\u0301", "🏳️‍🌈", "\uFEFF"), {
          minLength: 1,
          maxLength: 8,
        })
        .map((parts) => parts.join("")),
    ),
    fc.array(fc.nat(), { maxLength: 10 }),
    fc.nat(),
    fc.nat(),
  )
  .map(([text, at, a, b]) => {
    const points = Array.from(text);
    const bytes = utf8.encode(text);
    const cuts = [...new Set([0, ...at.map((cut) => cut % bytes.length)])].sort((x, y) => x - y);
    const from = a % points.length;
    const to = from + 1 + (b % (points.length - from));
    const before = points.slice(0, from).join("");
    const part = points.slice(from, to).join("");
    return { text, bytes, cuts, from, to, before, part };
  })
  .filter(({ text }) => !text.includes("\uFFFD"));

/** The tokens that have bytes in the stretch, and whether each of them lies wholly in it: counted in bytes. */
function byBytes({
  bytes,
  cuts,
  before,
  part,
}: {
  bytes: Uint8Array;
  cuts: number[];
  before: string;
  part: string;
}) {
  const start = utf8.encode(before).length;
  const end = start + utf8.encode(part).length;
  const touched: number[] = [];
  let whole = true;
  cuts.forEach((from, token) => {
    const to = cuts[token + 1] ?? bytes.length;
    if (to <= start || from >= end) return;
    touched.push(token);
    if (from < start || to > end) whole = false;
  });
  return { touched, whole };
}

function outcome(prompt: string, names: (string | null)[], options: SpanOptions) {
  try {
    return select(madeCapture({ prompt, names, layers: [0] }), span(options));
  } catch (error) {
    if (error instanceof SelectionError) return error.code;
    throw error;
  }
}

describe("offsets (properties)", () => {
  it("a stretch of characters is the tokens whose bytes lie in it, and is refused when it cuts one", () => {
    fc.assert(
      fc.property(cutText, fc.boolean(), (cut, bos) => {
        const { text, bytes, cuts, from, to, before, part } = cut;
        const names = [...(bos ? [null] : []), ...namesOf(bytes, cuts)];
        const shift = bos ? 1 : 0;
        const expected = byBytes(cut);
        const byPoints = outcome(text, names, { characters: { from, to, unit: "codePoints" } });
        const byUnits = outcome(text, names, {
          characters: { from: before.length, to: before.length + part.length },
        });
        if (!expected.whole) {
          expect([byPoints, byUnits]).toEqual(["span_cuts_token", "span_cuts_token"]);
          return;
        }
        if (typeof byPoints === "string") throw new Error(byPoints);
        if (typeof byUnits === "string") throw new Error(byUnits);
        expect(byPoints.positions).toEqual(expected.touched.map((token) => token + shift));
        expect(byUnits.positions).toEqual(byPoints.positions);
        expect(byPoints.matches).toEqual([
          {
            text: part,
            start: { utf16: before.length, codePoints: from },
            end: { utf16: before.length + part.length, codePoints: to },
          },
        ]);
        expect(byPoints.rowCount).toBe(expected.touched.length);
      }),
      { numRuns: 1000 },
    );
  });

  it("the outer cut has every token with bytes in it, the inner one none with bytes outside", () => {
    fc.assert(
      fc.property(cutText, (cut) => {
        const { text, bytes, cuts, from, to } = cut;
        const names = namesOf(bytes, cuts);
        const range: SpanOptions = { characters: { from, to, unit: "codePoints" } };
        const { touched, whole } = byBytes(cut);
        const outer = outcome(text, names, { ...range, cut: "outer" });
        const inner = outcome(text, names, { ...range, cut: "inner" });
        if (typeof outer === "string") throw new Error(outer);
        for (const token of touched) expect(outer.positions).toContain(token);
        if (typeof inner === "string") {
          expect(inner).toBe("empty_selection");
          expect(whole).toBe(false);
        } else {
          for (const token of inner.positions) expect(touched).toContain(token);
          for (const token of inner.positions) expect(outer.positions).toContain(token);
          // The characters of what is left out and of what is beside the span are not in the inner ones' bytes.
          const byteEnd = (token: number) => cuts[token + 1] ?? bytes.length;
          const start = utf8.encode(cut.before).length;
          const end = start + utf8.encode(cut.part).length;
          for (const token of inner.positions) {
            expect(cuts[token]).toBeGreaterThanOrEqual(start);
            expect(byteEnd(token)).toBeLessThanOrEqual(end);
          }
        }
      }),
      { numRuns: 500 },
    );
  });

  it("parts of characters that a server names U+FFFD are right, cut, or said to be unknown", () => {
    let told = 0;
    fc.assert(
      fc.property(cutText, (cut) => {
        const { text, bytes, cuts, from, to } = cut;
        const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
        const names = cuts.map((start, i) => decoder.decode(bytes.subarray(start, cuts[i + 1])));
        const found = outcome(text, names, { characters: { from, to, unit: "codePoints" } });
        if (typeof found === "string") {
          expect(["span_cuts_token", "offsets_unknown"]).toContain(found);
          return;
        }
        told++;
        const expected = byBytes(cut);
        expect(expected.whole).toBe(true);
        expect(found.positions).toEqual(expected.touched);
      }),
      { numRuns: 1000 },
    );
    expect(told).toBeGreaterThan(100);
  });
});
