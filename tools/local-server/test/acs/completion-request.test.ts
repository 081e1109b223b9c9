import { describe, expect, test } from "vitest";
import { accepted as acceptance, refused as refusal, tinyConfig, serve } from "../support.ts";

const running = serve();
const refused = (body: unknown, code?: string) => refusal(running, body, code);
const accepted = (body: object) => acceptance(running, body);

describe("fields", () => {
  test("priority: whole numbers from 0, their texts, true and false, null", async () => {
    for (const priority of [0, 3, 2 ** 53 - 1, "0", "007", "9".repeat(400), true, false, null])
      await accepted({ prompt: "a", max_tokens: 1, priority });
    for (const priority of [-1, 0.5, 2 ** 53, "-1", "1.0", "", " 7", "seven", "7\n", "٧", [1], {}])
      expect(await refused({ prompt: "a", priority })).toBe(
        "priority: give a whole number from 0, the same as a text of digits, true or false",
      );
  });

  test("user is any text", async () => {
    await accepted({ prompt: "a", max_tokens: 1, user: "someone" });
    expect(await refused({ prompt: "a", user: 5 })).toMatch(/^user: /);
  });

  test.each(["extra_body", "best_of", "vllm_xargs", "Prompt", "toString"])("%s is unknown", async (field) => {
    expect(await refused({ prompt: "a", [field]: 1 })).toBe(`${field}: unknown field; leave it out`);
  });

  test("__proto__ is a field like any other", async () => {
    expect(await refused('{"model":"tiny","prompt":"a","__proto__":{"n":2}}')).toContain("__proto__");
  });

  test("every field at fault is named", async () => {
    expect(await refused({ prompt: "a", n: 0, seed: -1, what: 1 })).toMatch(
      /^n: .*; seed: .*; what: unknown/,
    );
  });

  test.each([
    [[]],
    [[[]]],
    [[1, "a"]],
    [["a", 1]],
    [[[1], []]],
    [[-1]],
    [[1.5]],
    [[true]],
    [5],
    [{}],
    [undefined],
    [[null]],
  ])("prompt %j", async (prompt) => {
    expect(await refused({ prompt })).toMatch(/^prompt: /);
  });

  test.each([
    ["prompt of fractions", { prompt: new Array(1_000_000).fill(1.5) }, /^prompt: 1000000 entries/],
    ["prompt of empty lists", { prompt: new Array(1_000_000).fill([]) }, /^prompt: 1000000 entries/],
    ["a list of a million ids", { prompt: [new Array(1_000_000).fill(1)] }, /^prompt: 1000000 entries/],
    [
      "a fault at the end",
      { prompt: [...new Array<number>(100_000).fill(1), -1] },
      /^prompt: entry 100000 is no token id/,
    ],
    [
      "layers",
      { prompt: "a", output_residual_stream: new Array(1_000_000).fill(null) },
      /^output_residual_stream: 1000000/,
    ],
    [
      "vectors",
      { prompt: "a", apply_steering_vectors: new Array(1_000_000).fill({}) },
      /^apply_steering_vectors: 1000000/,
    ],
    [
      "positions",
      { prompt: "a", apply_steering_vectors: [{ position_indices: new Array(1_000_000).fill(-1) }] },
      /^apply_steering_vectors\[0\]\.position_indices: 1000000/,
    ],
    ["fields", Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`f${i}`, 1])), /^body: 301 fields/],
  ])("a body of endless faults has one answer: %s", async (_, body, answer) => {
    expect(await refused(body)).toMatch(answer);
  });

  test("prompts of no token and unknown token ids", async () => {
    const vocabulary = tinyConfig.vocab_size;
    expect(await refused({ prompt: "", add_special_tokens: false })).toMatch(
      /^prompt: this text has no token/,
    );
    expect(await refused({ prompt: [vocabulary] })).toBe(
      `prompt: token id ${vocabulary} is not in the vocabulary; ids run from 0 to ${vocabulary - 1}`,
    );
    await accepted({ prompt: "", max_tokens: 1 });
    await accepted({ prompt: [[vocabulary - 1], [0]], max_tokens: 1 });
  });

  test("an unknown model lists the ids; the checkpoint's name gets a hint", async () => {
    expect(await refused({ model: "llama-8b", prompt: "a" }, "model_not_found")).toMatch(
      /"llama-8b".* tiny$/,
    );
    expect(await refused({ model: "residua/tiny", prompt: "a" }, "model_not_found")).toContain("send tiny");
    expect(await refused({ model: "../../etc/passwd", prompt: "a" }, "model_not_found")).toContain(
      "there is no",
    );
  });

  test.each([[[tinyConfig.num_hidden_layers]], [[0, 0]], [[]], [[-1]], [["1"]], [[0.5]], ["all"], [1]])(
    "output_residual_stream %j",
    async (layers) => {
      expect(await refused({ prompt: "a", output_residual_stream: layers })).toMatch(
        /^output_residual_stream: /,
      );
    },
  );
});
