import fc from "fast-check";
import { expect, test } from "vitest";
import { firstStop, possibleStop } from "../src/stop-texts.ts";

test("the first place wins, whatever the order of the stop texts", () => {
  expect(firstStop("one two", ["two", "ne"], 0)).toEqual({ at: 1, stop: "ne" });
  expect(firstStop("one two", ["two", "ne"], 2)).toEqual({ at: 1, stop: "ne" });
  expect(firstStop("one two", ["two", "ne"], 3)).toEqual({ at: 4, stop: "two" });
  expect(firstStop("one two", ["two", "one"], 7)).toBeNull();
  expect(firstStop("one two", ["x"], 0)).toBeNull();
});

test("the longest end that can begin a stop text is found", () => {
  expect(possibleStop("say END", ["ENDING", "D"])).toBe(3);
  expect(possibleStop("aab", ["abab"])).toBe(2);
  expect(possibleStop("aab", ["aab"])).toBe(0);
  expect(possibleStop("", ["aab"])).toBe(0);
});

test("shown piece by piece, a text never shows a part of a stop text and loses nothing before it", () => {
  const letters = fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(
      fc.array(letters, { maxLength: 12 }),
      fc.array(letters, { maxLength: 4 }),
      (pieces, stops) => {
        let text = "";
        let shown = "";
        let hit: ReturnType<typeof firstStop> = null;
        for (const piece of pieces) {
          text += piece;
          hit = firstStop(text, stops, 0);
          if (hit !== null) break;
          shown += text.slice(shown.length, text.length - possibleStop(text, stops));
          expect(text.startsWith(shown)).toBe(true);
        }
        const cut = hit === null ? text : text.slice(0, hit.at);
        expect(cut.startsWith(shown)).toBe(true);
      },
    ),
    { numRuns: 2000 },
  );
});
