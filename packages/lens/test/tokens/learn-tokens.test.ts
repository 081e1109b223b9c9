import type { Choice } from "@residua/client";
import { describe, expect, it } from "vitest";
import { learnTokens, type TokenQuestion } from "../../src/tokens/learn-tokens.ts";

/** A choice whose prompt log probabilities tell `[id, text]` of each position but the first. */
function told(...others: [id: number, text: string][]): Choice {
  const entries = others.map(([id, text]) => ({
    [String(id)]: { logprob: -1, rank: 1, decoded_token: text },
  }));
  return {
    index: 0,
    text: " x",
    prompt_logprobs: [null, ...entries],
    logprobs: { tokens: [" x"], token_logprobs: [-1] },
  };
}

const ask = (question: Partial<TokenQuestion> & Pick<TokenQuestion, "prompt" | "choice">) =>
  learnTokens({
    promptTokens: question.choice.prompt_logprobs?.length ?? 0,
    generatedTokens: 1,
    bosTokenId: 0,
    addSpecialTokens: true,
    ...question,
  });
const first = (question: Parameters<typeof ask>[0]) => ask(question).tokens[0];

describe("position 0 of a text", () => {
  it("is the BOS when the other tokens spell the whole prompt", () => {
    const choice = told([5, "The"], [6, " sky"]);
    expect(first({ prompt: "The sky", choice })).toEqual({ id: 0, text: null, role: "prompt" });
    expect(first({ prompt: "The sky", choice, bosTokenId: undefined })).toEqual({
      id: null,
      text: null,
      role: "prompt",
    });
  });

  it("is the rest of the prompt when they spell its end, whatever the model's BOS is", () => {
    expect(first({ prompt: "The sky", choice: told([6, " sky"]) })).toEqual({
      id: null,
      text: "The",
      role: "prompt",
    });
    expect(first({ prompt: "The", choice: told() })).toEqual({ id: null, text: "The", role: "prompt" });
  });

  it("stays unknown when the texts cannot be compared", () => {
    const cut = told([7, "\ufffd"], [8, "\ufffd"]);
    expect(first({ prompt: "\u00e9", choice: cut })).toEqual({ id: null, text: null, role: "prompt" });
    expect(ask({ prompt: "\u00e9", choice: cut }).checks[0]).toMatchObject({
      code: "token_ids",
      status: "unverified",
    });
  });
});

describe("C22: doubled BOS", () => {
  it("is refused by id and by the known texts", () => {
    const doubled = told([0, "<s>"], [5, "The"]);
    expect(() => ask({ prompt: "<s>The", choice: doubled })).toThrow("BOS token twice");
    expect(() => ask({ prompt: "<s>The", choice: doubled, bosTokenId: undefined })).toThrow(
      "BOS token twice",
    );
    expect(() => ask({ prompt: [0, 0, 5], choice: doubled })).toThrow("BOS token twice");
  });

  it("is refused where the server added both to a text", () => {
    const doubled = told([0, "<s>"], [5, "The"], [6, " sky"]);
    expect(() => ask({ prompt: "The sky", choice: doubled })).toThrow("BOS token twice");
  });

  it("is not seen in a prompt that begins with one BOS or with two equal words", () => {
    const single = told([5, "The"], [6, " sky"]);
    expect(ask({ prompt: [0, 5, 6], choice: single }).checks[1]).toMatchObject({
      code: "double_bos",
      status: "pass",
    });
    const twice = told([5, " a"]);
    expect(ask({ prompt: [5, 5], choice: twice }).checks[1]?.status).toBe("pass");
  });
});

describe("ids and counts", () => {
  it("refuses an id that was not sent, and lists of other lengths", () => {
    expect(() => ask({ prompt: [0, 5], choice: told([6, "x"]) })).toThrow(
      "position 1: token 5 was sent and the server ran 6",
    );
    expect(() => ask({ prompt: [0, 5, 6], choice: told([5, "x"]) })).toThrow(
      "3 token ids were sent and the server counted 2",
    );
    expect(() => ask({ prompt: "x y", choice: told([5, "x"]), promptTokens: 3 })).toThrow(
      "usage counts 3 prompt tokens",
    );
    expect(() => ask({ prompt: "x", choice: told([5, "x"]), generatedTokens: 2 })).toThrow(
      "usage counts 2 generated tokens",
    );
  });

  it("takes ids that a server names outright", () => {
    const choice = { ...told([5, "The"]), prompt_token_ids: [9, 5], token_ids: [77] };
    expect(ask({ prompt: "The", choice }).tokens.map(({ id }) => id)).toEqual([9, 5, 77]);
  });

  it("does not choose among several ids of one position", () => {
    const choice = told([5, "The"]);
    choice.prompt_logprobs = [null, { "5": { logprob: -1 }, "6": { logprob: -2 } }];
    expect(ask({ prompt: "The", choice }).tokens[1]?.id).toBeNull();
    expect(ask({ prompt: [0, 5], choice }).tokens[1]?.id).toBe(5);
  });
});
