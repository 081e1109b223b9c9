import { describe, expect, it } from "vitest";
import { type Choice, readLogprobs, ResiduaError } from "../../src/index.ts";
import { listed, recorded } from "./recorded-choice.ts";

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
