import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Choice, type Completion, readLogprobs, ResiduaError } from "../../src/index.ts";
import { exchangeOf, exchanges, isStream } from "../recordings/exchanges.ts";
import { codePoints, expectedOffsets, tokenTexts } from "./token-texts.ts";

const recorded = (name: string): Choice => (JSON.parse(exchangeOf(name).answer!) as Completion).choices[0]!;

const listed = (text: string, tokens: string[], more: object = {}, choice: object = {}): Choice => ({
  index: 0,
  text,
  logprobs: { tokens, token_logprobs: tokens.map((_, i) => -i - 0.5), ...more },
  ...choice,
});

const utf8 = new TextEncoder();
const chatShaped = (text: string, tokens: { token: string; bytes?: number[] }[]): Choice => ({
  index: 0,
  text,
  logprobs: { content: tokens.map((token, i) => ({ ...token, logprob: -i - 0.5, top_logprobs: [] })) },
});

const starts = (choice: Choice) => readLogprobs(choice)?.map(({ offset }) => offset?.utf16);

describe("both shapes read alike", () => {
  it("completion-shaped: tokens, log probabilities, the likeliest first, a place in the text", () => {
    expect(readLogprobs(recorded("main/comp_logprobs5_sampled"))?.slice(0, 2)).toEqual([
      {
        token: " imp",
        id: 521,
        logprob: -10.578475952148438,
        bytes: undefined,
        top: [
          { token: " Paris", id: undefined, bytes: undefined, logprob: -0.26597607135772705 },
          { token: " the", id: undefined, bytes: undefined, logprob: -2.7034759521484375 },
          { token: " imp", id: undefined, bytes: undefined, logprob: -10.578475952148438 },
        ],
        offset: { utf16: 0, codePoints: 0 },
      },
      {
        token: "act",
        id: 471,
        logprob: -6.342691421508789,
        bytes: undefined,
        top: [
          { token: "rec", id: undefined, bytes: undefined, logprob: -0.3426913321018219 },
          { token: "é", id: undefined, bytes: undefined, logprob: -2.467691421508789 },
          { token: "act", id: undefined, bytes: undefined, logprob: -6.342691421508789 },
        ],
        offset: { utf16: 4, codePoints: 4 },
      },
    ]);
  });

  it("chat-shaped: the same tokens give the same reading", () => {
    const tokens = [" Pa", "ris", ".", " 👋"];
    const top = { " Pa": -0.5, " the": -2 };
    const one = listed(tokens.join(""), tokens, { top_logprobs: tokens.map(() => top) });
    const other: Choice = {
      index: 0,
      text: tokens.join(""),
      logprobs: {
        content: tokens.map((token, i) => ({
          token,
          logprob: -i - 0.5,
          bytes: null,
          top_logprobs: Object.entries(top).map(([token, logprob]) => ({ token, logprob })),
        })),
      },
    };
    expect(readLogprobs(other)).toEqual(readLogprobs(one));
  });

  it("is undefined where there are none", () => {
    expect(readLogprobs({ index: 0, text: "" })).toBeUndefined();
    expect(readLogprobs({ index: 0, text: "", logprobs: null })).toBeUndefined();
    expect(readLogprobs({ index: 0, text: "", logprobs: { content: null } })).toBeUndefined();
  });

  it("keeps an unlisted position of a chat-shaped answer", () => {
    const choice: Choice = {
      index: 0,
      text: "ab",
      logprobs: { content: [null, { token: "ab", logprob: -1 }] },
    };
    expect(readLogprobs(choice)?.map(({ logprob }) => logprob)).toEqual([undefined, -1]);
  });
});

describe("tokens", () => {
  it("of an echo: the first has no log probability", () => {
    const read = readLogprobs(recorded("main/comp_echo_max1_logprobs1"))!;
    expect(read.map(({ logprob }) => logprob === undefined)).toEqual([
      true,
      false,
      false,
      false,
      false,
      false,
    ]);
    expect(read[0]).toMatchObject({ token: "The", top: [], offset: { utf16: 0 } });
  });

  it("named by id (return_tokens_as_token_ids) have it as a number, and no place", () => {
    const read = readLogprobs(recorded("main/comp_unicode_as_ids"))!;
    expect(read.map(({ id }) => id).slice(0, 3)).toEqual([51, 1939, 2756]);
    expect(read[1]!.top).toEqual([
      { token: "token_id:29", id: 29, bytes: undefined, logprob: -0.8732896447181702 },
      { token: "token_id:1939", id: 1939, bytes: undefined, logprob: -14.248290061950684 },
    ]);
    expect(read.every(({ offset }) => offset === undefined)).toBe(true);
  });

  it("of an echo take the ids of the prompt and of what was generated; with max_tokens 0 those of the prompt", () => {
    const own = [null, -1, -2];
    const echo = listed(
      "abc",
      ["a", "b", "c"],
      { token_logprobs: own },
      { token_ids: [7], prompt_token_ids: [5, 6] },
    );
    expect(readLogprobs(echo)?.map(({ id }) => id)).toEqual([5, 6, 7]);
    const none = { ...echo, prompt_token_ids: [4, 5, 6] };
    expect(readLogprobs(none)?.map(({ id }) => id)).toEqual([4, 5, 6]);
    const neither = { ...echo, prompt_token_ids: [4] };
    expect(readLogprobs(neither)?.map(({ id }) => id)).toEqual([undefined, undefined, undefined]);
  });

  it("named by their bytes have them, and make one character", () => {
    const names = [" ", "bytes:\\xe2\\x98", "bytes:\\x95", "!"];
    const read = readLogprobs(listed(" ☕!", names))!;
    expect(read.map(({ bytes }) => bytes)).toEqual([undefined, [0xe2, 0x98], [0x95], undefined]);
    expect(read.map(({ offset }) => offset?.utf16)).toEqual([0, 1, 1, 2]);
  });

  it("logprobs: 0 gives the token alone, -9999 stays what it is", () => {
    expect(readLogprobs(recorded("main/comp_logprobs0"))?.every(({ top }) => top.length === 1)).toBe(true);
    const floor = listed("a", ["a"], { token_logprobs: [-9999], top_logprobs: [{ a: -9999, b: 0 }] });
    expect(readLogprobs(floor)?.[0]).toMatchObject({ logprob: -9999, top: [{ token: "b" }, { token: "a" }] });
  });

  it("that are numbers keep the order of likelihood, which an object's keys do not", () => {
    const top = { "7": -3, x: -1, "1": -2 };
    const read = readLogprobs(listed("x", ["x"], { top_logprobs: [top] }))!;
    expect(read[0]!.top.map(({ token }) => token)).toEqual(["x", "1", "7"]);
  });

  it("cannot be paired with lists of another length", () => {
    for (const odd of [{ token_logprobs: [-1] }, { top_logprobs: [{}, {}, {}] }, { text_offset: [] }]) {
      const read = () => readLogprobs(listed("ab", ["a", "b"], odd));
      expect(read).toThrow(ResiduaError);
      expect(read).toThrow(/choices\[0\].logprobs: 2 tokens and \d/);
    }
  });
});

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
