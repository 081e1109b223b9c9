import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Choice, type Completion, readLogprobs } from "../../src/index.ts";
import { exchanges, isStream } from "../recordings/exchanges.ts";
import { listed, recorded } from "./recorded-choice.ts";
import { codePoints, expectedOffsets, tokenTexts } from "./token-texts.ts";

const utf8 = new TextEncoder();
const chatShaped = (text: string, tokens: { token: string; bytes?: number[] }[]): Choice => ({
  index: 0,
  text,
  logprobs: { content: tokens.map((token, i) => ({ ...token, logprob: -i - 0.5, top_logprobs: [] })) },
});

const starts = (choice: Choice) => readLogprobs(choice)?.map(({ offset }) => offset?.utf16);

describe("places in the text", () => {
  it("are those that a real server counts in code points, where it counts in the text", () => {
    let compared = 0;
    for (const { answer, path, status, ...rest } of exchanges) {
      if (path !== "/v1/completions" || status !== 200 || isStream({ answer, path, status, ...rest }))
        continue;
      for (const choice of (JSON.parse(answer!) as Completion).choices) {
        const { logprobs } = choice;
        if (!logprobs?.tokens || logprobs.tokens[0]?.startsWith("token_id:")) continue;
        compared++;
        const offsets = readLogprobs(choice)!.map(({ offset }) => offset?.codePoints);
        // What a stop text cut off begins at the end.
        const end = codePoints(choice.text);
        expect(offsets).toEqual(logprobs.text_offset!.map((offset) => Math.min(offset, end)));
      }
    }
    expect(compared).toBeGreaterThan(8);
  });

  it("of a character that several tokens share are its beginning", () => {
    const choice = recorded("main/comp_unicode");
    const read = readLogprobs(choice)!;
    const coffee = choice.text.indexOf(" ☕");
    expect(read.slice(3, 6).map(({ token }) => token)).toEqual(["", "", " ☕"]);
    expect(read.slice(3, 6).map(({ offset }) => offset?.utf16)).toEqual([coffee, coffee, coffee]);
    const i = read.at(-1)!;
    expect(choice.text.slice(i.offset?.utf16)).toBe("'m");
    expect(i.offset).toEqual({ utf16: 20, codePoints: 18 });
  });

  it.each<[string, Choice, (number | undefined)[]]>([
    [
      "a BOS that the echoed text has not",
      listed("The sky", ["<|begin_of_text|>", "The", " sky"]),
      [0, 0, 3],
    ],
    ["an EOS at the end", listed("Hi", ["<s>", "Hi", "</s>"]), [0, 0, 2]],
    [
      "a stop text that was cut off",
      listed(" Paris.\n\nThe ", [" Paris", ".", "\n", "\n", "The", " answer"]),
      [0, 6, 7, 8, 9, 12],
    ],
    ["more tokens after it", listed(" P", [" Paris", " is"]), [0, 2]],
    ["a stop text that left nothing", listed("", ["\n", "\n"]), [0, 0]],
    ["special tokens that are shown", listed("<s>a</s>", ["<s>", "a", "</s>"]), [0, 3, 4]],
    [
      "one that is shown once and left out once",
      listed("<s>a", ["<s>", "<s>", "a"]),
      [undefined, undefined, undefined],
    ],
    ["an echo of which only the end is listed", listed("The sky is blue", [" is", " blue"]), [7, 10]],
    ["tokens that are not of the text", listed("abc", ["x", "b"]), [undefined, undefined]],
    [
      "half characters as U+FFFD, without bytes",
      listed("a ☕ b", ["a", "\uFFFD", "\uFFFD", " b"]),
      [0, 1, undefined, undefined],
    ],
    ["U+FFFD that the text has", listed("a\uFFFDb", ["a", "\uFFFD", "b"]), [0, 1, 2]],
    ["no tokens", listed("", []), []],
  ])("%s", (_, choice, expected) => {
    expect(starts(choice)).toEqual(expected);
  });

  it("of bytes: half characters, a BOM, bytes that are no UTF-8, and a text that ends within a character", () => {
    const smile = [...utf8.encode("a👋b")];
    const parts = [smile.slice(0, 2), smile.slice(2, 4), smile.slice(4)].map((bytes) => ({
      token: "\uFFFD",
      bytes,
    }));
    expect(starts(chatShaped("a👋b", parts))).toEqual([0, 1, 1]);
    expect(
      starts(
        chatShaped("\uFEFFa", [
          { token: "\uFEFF", bytes: [0xef, 0xbb, 0xbf] },
          { token: "a", bytes: [97] },
        ]),
      ),
    ).toEqual([0, 1]);
    const stray = [
      { token: "\uFFFD", bytes: [0xe2] },
      { token: "a", bytes: [97] },
    ];
    expect(starts(chatShaped("\uFFFDa", stray))).toEqual([0, 1]);
    const unfinished = [
      { token: "a", bytes: [97] },
      { token: "\uFFFD", bytes: [0xe2, 0x98] },
    ];
    expect(starts(chatShaped("a\uFFFD", unfinished))).toEqual([0, 1]);
    expect(starts(chatShaped("a", unfinished))).toEqual([0, 1]);
    // Servers that give a part of a character no bytes, and its last token all of them.
    const late = [
      { token: "", bytes: [] },
      { token: "", bytes: [] },
      { token: " ☕", bytes: [...utf8.encode(" ☕")] },
    ];
    expect(starts(chatShaped(" ☕", late))).toEqual([0, 0, 0]);
  });

  it("of a prompt's tokens before the text that is not echoed are unknown (chat-shaped)", () => {
    const tokens = ["The", " sky", " is", " blue"].map((token) => ({ token }));
    expect(starts(chatShaped(" is blue", tokens))).toEqual([undefined, undefined, 0, 3]);
    // " a" could be the first or the last.
    const twice = [{ token: " a" }, { token: " a" }];
    expect(starts(chatShaped(" a", twice))).toEqual([undefined, undefined]);
  });
});

describe("properties", () => {
  it("offsets count UTF-16 units and code points of any tokens, whole or cut, of either shape", () => {
    fc.assert(
      fc.property(tokenTexts, fc.nat(), (texts, cut) => {
        const whole = texts.join("");
        const expected = expectedOffsets(texts);
        const read = (choice: Choice) => readLogprobs(choice)!.map(({ offset }) => offset);
        expect(read(listed(whole, texts))).toEqual(expected);
        const bytes = texts.map((token) => ({ token, bytes: [...utf8.encode(token)] }));
        expect(read(chatShaped(whole, bytes))).toEqual(expected);
        // Cut by a stop text at a character, as a server cuts: what begins later begins at the end.
        const points = Array.from(whole);
        const text = points.slice(0, points.length === 0 ? 0 : cut % points.length).join("");
        for (const [i, offset] of read(listed(text, texts)).entries()) {
          expect(offset?.utf16).toBe(Math.min(expected[i]!.utf16, text.length));
          expect(offset?.codePoints).toBe(Math.min(expected[i]!.codePoints, codePoints(text)));
        }
      }),
      { numRuns: 500 },
    );
  });

  it("bytes cut into tokens anywhere begin at the character that they begin in", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }),
        fc.array(fc.nat(), { maxLength: 8 }),
        (text, cuts) => {
          const bytes = [...utf8.encode(text)];
          const at = [...new Set([0, ...cuts.map((cut) => cut % bytes.length)])].sort((a, b) => a - b);
          const tokens = at.map((start, i) => ({ token: "?", bytes: bytes.slice(start, at[i + 1]) }));
          // The character that holds byte `start`: as many whole ones fit before it.
          const expected = at.map((start) => {
            let characters = 0;
            let units = 0;
            let size = 0;
            for (const character of text) {
              size += utf8.encode(character).length;
              if (size > start) break;
              characters++;
              units += character.length;
            }
            return { utf16: units, codePoints: characters };
          });
          expect(readLogprobs(chatShaped(text, tokens))!.map(({ offset }) => offset)).toEqual(expected);
        },
      ),
      { numRuns: 300 },
    );
  });

  it("a reading is the same after JSON", () => {
    fc.assert(
      fc.property(tokenTexts, (texts) => {
        const top = texts.map((text) =>
          Object.fromEntries([
            [text, -1],
            ["other", -2],
          ]),
        );
        const choice = listed(texts.join(""), texts, { top_logprobs: top });
        const again = JSON.parse(JSON.stringify(choice)) as Choice;
        expect(readLogprobs(again)).toEqual(readLogprobs(choice));
      }),
    );
  });
});
