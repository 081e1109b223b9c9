import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Choice, type PromptLogprobs, readPromptLogprobs, ResiduaError } from "../../src/index.ts";
import { recorded } from "./recorded-choice.ts";

const choiceOf = (prompt_logprobs: PromptLogprobs, more: object = {}): Choice => ({
  index: 0,
  text: "",
  prompt_logprobs,
  ...more,
});

/** An entry of `[id, rank]`s; the log probability falls with the rank. */
const entry = (...tokens: [id: number, rank: number][]): PromptLogprobs[number] =>
  Object.fromEntries(
    tokens.map(([id, rank]) => [id, { logprob: -rank / 4, rank, decoded_token: ` t${id}` }]),
  );

describe("what a real server sent", () => {
  it("prompt_logprobs 0: each entry is the prompt's token; ids that were returned name the first too", () => {
    const read = readPromptLogprobs(recorded("main/comp_prompt_logprobs0"))!;
    expect(read.map(({ id }) => id)).toEqual([504, 3575, 282, 4649, 314]);
    expect(read[0]).toEqual({
      position: 0,
      id: 504,
      text: undefined,
      logprob: undefined,
      rank: undefined,
      top: [],
    });
    expect(read[1]).toMatchObject({ text: " capital", logprob: -11.77696418762207, rank: 3123 });
  });

  it("prompt_logprobs 1: the entry beyond the likeliest is the prompt's, by its rank", () => {
    const read = readPromptLogprobs(recorded("main/comp_prompt_logprobs1"))!;
    expect(read.map(({ id }) => id)).toEqual([undefined, 3575, 282, 4649, 314]);
    expect(read[3]).toEqual({
      position: 3,
      id: 4649,
      text: " France",
      logprob: -2.4954397678375244,
      rank: 2,
      top: [
        { id: 260, text: " the", logprob: -2.0579397678375244, rank: 1 },
        { id: 4649, text: " France", logprob: -2.4954397678375244, rank: 2 },
      ],
    });
  });

  it("an echo by ids names each token, the first too", () => {
    const read = readPromptLogprobs(recorded("main/comp_unicode_as_ids"))!;
    expect(read.map(({ id }) => id)).toEqual([
      51, 1939, 2756, 4636, 242, 239, 15107, 235, 229, 10813, 233, 138, 15486, 46494,
    ]);
    // The same prompt with its tokens as texts: two parts of one character read alike and are told apart.
    const texts = readPromptLogprobs(recorded("main/comp_unicode"))!;
    expect(texts.slice(1).map(({ id }) => id)).toEqual(read.slice(1).map(({ id }) => id));
  });
});

describe("which of several is the prompt's", () => {
  const both = entry([9, 1], [7, 2]);
  it("is said by the ids that were sent", () => {
    const read = readPromptLogprobs(choiceOf([null, both]), { promptTokenIds: [1, 9] })!;
    expect(read.map(({ id, rank }) => [id, rank])).toEqual([
      [1, undefined],
      [9, 1],
    ]);
  });

  it("is not guessed: two of the likeliest two may each be", () => {
    expect(readPromptLogprobs(choiceOf([null, both]))![1]).toMatchObject({
      id: undefined,
      logprob: undefined,
    });
    expect(readPromptLogprobs(choiceOf([null, both]), { asked: 2 })![1]?.id).toBeUndefined();
    expect(readPromptLogprobs(choiceOf([null, both]))![1]?.top.map(({ id }) => id)).toEqual([9, 7]);
  });

  it("is the second when one was asked for, as the request says or another position shows", () => {
    expect(readPromptLogprobs(choiceOf([null, both]), { asked: 1 })![1]?.id).toBe(7);
    const shown = readPromptLogprobs(choiceOf([null, both, entry([3, 1], [2, 40])]))!;
    expect(shown.map(({ id }) => id)).toEqual([undefined, 7, 2]);
  });

  it("is not known where ranks are missing or tied", () => {
    const tied = entry([3, 1], [4, 1], [5, 2]);
    expect(readPromptLogprobs(choiceOf([null, tied]), { asked: 2 })![1]?.id).toBeUndefined();
    const unranked: PromptLogprobs = [null, { "3": { logprob: -1 }, "4": { logprob: -2, rank: null } }];
    const [, read] = readPromptLogprobs(choiceOf(unranked), { asked: 1 })!;
    expect(read).toMatchObject({ id: undefined, top: [{ id: 3, rank: undefined }, { id: 4 }] });
  });

  it("is singled out by an echo, or not where two are alike", () => {
    const logprobs = { tokens: ["a", " t9"], token_logprobs: [null, -0.25] };
    expect(readPromptLogprobs(choiceOf([null, both], { logprobs }))![1]?.id).toBe(9);
    const alike: PromptLogprobs = [
      null,
      {
        "5": { logprob: -0.25, rank: 1, decoded_token: " t9" },
        "6": { logprob: -0.25, rank: 2, decoded_token: " t9" },
      },
    ];
    expect(readPromptLogprobs(choiceOf(alike, { logprobs }))![1]?.id).toBeUndefined();
    // Not an echo: its first token has a log probability.
    const generated = { tokens: [" t9", "b"], token_logprobs: [-0.25, -0.25] };
    expect(readPromptLogprobs(choiceOf([null, both], { logprobs: generated }))![1]?.id).toBeUndefined();
  });
});

it("is undefined where there are none, and a mismatch is said", () => {
  expect(readPromptLogprobs({ index: 0, text: "" })).toBeUndefined();
  const both = choiceOf([null, entry([9, 1])]);
  expect(() => readPromptLogprobs(both, { promptTokenIds: [1] })).toThrow(ResiduaError);
  expect(() => readPromptLogprobs(both, { promptTokenIds: [1, 8] })).toThrow(
    "choices[0].prompt_logprobs: position 1: token 8 is the prompt's and is not listed",
  );
});

it("reads a whole vocabulary, keeping as many as asked for", () => {
  const size = 5000;
  const order = Array.from({ length: size }, (_, id) => ((id * 7919) % size) + 1);
  const whole = entry(...order.map((rank, id): [number, number] => [id, rank]));
  const [, read] = readPromptLogprobs(choiceOf([null, whole]), { promptTokenIds: [0, 3], top: 3 })!;
  expect(read?.rank).toBe(order[3]);
  expect(read?.top.map(({ rank }) => rank)).toEqual([1, 2, 3]);
  expect(read?.top.map(({ id }) => order[id])).toEqual([1, 2, 3]);
});

it("finds the prompt's token whenever one more than asked for is listed, and never another (property)", () => {
  const position = fc.record({
    rank: fc.integer({ min: 1, max: 40 }),
    ids: fc.uniqueArray(fc.nat(999), { minLength: 9, maxLength: 9 }),
  });
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 8 }),
      fc.array(position, { minLength: 1, maxLength: 6 }),
      (asked, positions) => {
        const own = positions.map(({ rank, ids }) => ids[Math.min(rank, asked + 1) - 1]!);
        const entries = positions.map(({ rank, ids }) => {
          const listed = Array.from({ length: asked }, (_, i): [number, number] => [ids[i]!, i + 1]);
          return entry(...listed, ...(rank > asked ? [[ids[asked]!, rank] as [number, number]] : []));
        });
        for (const options of [{ asked }, {}, { promptTokenIds: [0, ...own] }]) {
          const read = readPromptLogprobs(choiceOf([null, ...entries]), options)!.slice(1);
          for (const [i, { id, rank }] of read.entries()) {
            if (id !== undefined) expect([id, rank]).toEqual([own[i], positions[i]!.rank]);
            if ("promptTokenIds" in options || ("asked" in options && positions[i]!.rank > asked))
              expect(id).toBe(own[i]);
          }
        }
      },
    ),
    { numRuns: 500 },
  );
});
