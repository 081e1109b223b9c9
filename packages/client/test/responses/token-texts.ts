import fc from "fast-check";

/** A token's text as servers send it: any Unicode, astral and combining too; no lone surrogates, which UTF-8 has not. */
const someText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 6 }),
  fc.string({ unit: "grapheme", maxLength: 4 }),
  fc.constantFrom(
    "",
    " ",
    "\n",
    "\u0301",
    "\u{1F44B}",
    "\u{1F3FD}",
    "e\u0301",
    "\uFEFF",
    "\u200D",
    "a",
    "1",
    "__proto__",
  ),
);

/** Texts of the tokens of one choice. None looks like a special token, whose place would be in doubt. */
export const tokenTexts = fc
  .array(someText, { maxLength: 30 })
  .map((texts) =>
    texts.map((text) => (/^(<.+>|\[[A-Z]+\])$/s.test(text) || text.includes("\uFFFD") ? "x" : text)),
  );

/** Counted in another way than by the code under test: a text's iterator steps over code points. */
export const codePoints = (text: string): number => Array.from(text).length;

/** Where each of the texts begins when they stand one after the other. */
export function expectedOffsets(texts: readonly string[]): { utf16: number; codePoints: number }[] {
  return texts.map((_, i) => {
    const before = texts.slice(0, i).join("");
    return { utf16: before.length, codePoints: codePoints(before) };
  });
}
