import { describe, expect, test } from "vitest";
import { accepted as acceptance, ids, refused as refusal, vector, serve } from "../support.ts";

const running = serve();
const refused = (body: unknown, code?: string) => refusal(running, body, code);
const accepted = (body: object) => acceptance(running, body);

describe("limits, on both sides", () => {
  test("work: prompts × n × max_tokens", async () => {
    expect(await refused({ prompt: ["a", "b"], n: 128, max_tokens: 200 })).toBe(
      "max_tokens: 2 prompts × 128 choices × 200 max_tokens = 51200, over the 32000 a request may generate",
    );
    expect(await refused({ prompt: "a", n: 1000, max_tokens: 33 })).toContain("= 33000, over the 32000");
    await accepted({ prompt: ["a", "b"], n: 500, max_tokens: 1 });
    // 32 prompts × 1 × 1000 tokens is exactly the limit; refused only because the context is shorter.
    const exact = {
      prompt: Array<string>(32).fill("The city of Rome is in Europe. Verdict: true. ".repeat(3)),
      max_tokens: 1000,
    };
    expect(await refused(exact, "context_length_exceeded")).toContain("over the 1024 tokens");
    expect(await refused({ ...exact, max_tokens: 1001 })).toContain("= 32032, over the 32000");
  });

  test("choices: prompts × n", async () => {
    await accepted({ prompt: "a", n: 1024, max_tokens: 1 });
    expect(await refused({ prompt: "a", n: 1025, max_tokens: 1 })).toBe(
      "n: 1 prompts × 1025 choices = 1025 choices, over the 1024 a request may ask for",
    );
    expect(await refused({ prompt: Array<string>(1025).fill("a"), max_tokens: 1 })).toContain(
      "1025 prompts × 1 choices",
    );
  });

  test("capture: layers × tokens × hidden size, also where the model is not in the catalogue", async () => {
    const capture = (layers: number[], tokens: number, model: string) => ({
      model,
      prompt: ids(tokens),
      max_tokens: 1,
      output_residual_stream: layers,
    });
    expect(await refused(capture([0, 1, 2], 682, "tiny-uncatalogued"))).toBe(
      "output_residual_stream: 3 layers × 683 tokens × 16384 hidden size = 33570816 numbers, over the 33554432 a capture may hold",
    );
    await accepted(capture([0, 1, 2], 681, "tiny-uncatalogued"));
    await accepted({ ...capture([0, 1], 1023, "tiny-uncatalogued"), prompt: ids(1023) });
    await accepted(capture([0, 1, 2], 682, "tiny"));
  });

  test("steering: at most 8 vectors and 2097152 numbers", async () => {
    const many = (count: number) => ({
      prompt: "a",
      max_tokens: 1,
      apply_steering_vectors: Array(count).fill(vector([1, 96])),
    });
    await accepted(many(8));
    expect(await refused(many(9))).toBe("apply_steering_vectors: 9 vectors, over the 8 a request may apply");
    const rows = (positions: number, model = "tiny-uncatalogued") => ({
      model,
      prompt: ids(positions),
      max_tokens: 1,
      apply_steering_vectors: [vector([2, positions, 96]), vector([1, 8, 96])],
    });
    await accepted(rows(60));
    expect(await refused(rows(61))).toBe(
      "apply_steering_vectors: 130 layers × positions × 16384 hidden size = 2129920 numbers, over the 2097152 steering vectors may hold in all",
    );
    await accepted(rows(61, "tiny"));
  });

  test("prompt_logprobs: prompt tokens × n × (k + 1, and logprobs + 1 with echo)", async () => {
    const ask = (tokens: number, n: number, extra: object) => ({
      prompt: ids(tokens),
      n,
      max_tokens: 1,
      prompt_logprobs: 100,
      ...extra,
    });
    // 649 × 512 × 101 = 33561088 is just over, 648 × 512 × 101 = 33509376 just under: too slow to run here.
    expect(await refused(ask(649, 512, {}))).toBe(
      "prompt_logprobs: 649 prompt tokens × 512 choices × 101 a token = 33561088 log probabilities, over the 33554432 a request may return",
    );
    expect(await refused(ask(325, 512, { echo: true, logprobs: 100 }))).toContain("× 202 a token");
    await accepted(ask(325, 4, { echo: true, logprobs: 100 }));
  });

  test("prompt_logprobs -1: 256 prompt tokens × n, 16 with a capture", async () => {
    const full = { max_tokens: 1, prompt_logprobs: -1 };
    await accepted({ prompt: ids(64), n: 4, ...full });
    expect(await refused({ prompt: ids(257), ...full })).toContain(
      "257 prompt tokens × 1 choices = 257 tokens, over the 256",
    );
    expect(await refused({ prompt: ids(65), n: 4, ...full })).toContain("= 260 tokens, over the 256");
    await accepted({ prompt: ids(16), output_residual_stream: [0], ...full });
    expect(await refused({ prompt: ids(17), output_residual_stream: [0], ...full })).toContain("over the 16");
  });

  test("the context: prompt tokens + max_tokens", async () => {
    await accepted({ prompt: ids(1023), max_tokens: 1 });
    expect(await refused({ prompt: ids(1023), max_tokens: 2 }, "context_length_exceeded")).toBe(
      "prompt: 1023 prompt tokens + 2 max_tokens = 1025, over the 1024 tokens that the model takes",
    );
    const endless = "a".repeat(4_000_000);
    const started = performance.now();
    expect(await refused({ prompt: endless, max_tokens: 1 }, "context_length_exceeded")).toContain(
      "at least",
    );
    expect(performance.now() - started).toBeLessThan(2000);
  });

  test.each([
    ["temperature", 0, 100, [-0.1, 100.1, "1", true]],
    ["top_p", 0.001, 1, [0, 1.001]],
    ["top_k", -1, 2 ** 53 - 1, [-2, 0.5, "1", true]],
    ["top_k", 0, 1, [-2]],
    ["min_p", 0, 1, [-0.001, 1.001]],
    ["presence_penalty", -2, 2, [-2.001, 2.001, "1"]],
    ["frequency_penalty", -2, 2, [-2.001, 2.001]],
    ["repetition_penalty", 1e-300, 1e300, [0, -1]],
    ["logprobs", 0, 100, [-1, 101, 1.5]],
    ["prompt_logprobs", 0, 100, [-2, 101]],
    ["seed", 0, 2 ** 53 - 1, [-1, 2 ** 53, 0.5]],
    ["max_tokens", 1, 20, [0, -1, 1.5, "5"]],
    ["n", 1, 3, [0, 1.5]],
  ])("%s", async (field, low, high, outside) => {
    const base = { prompt: "a", max_tokens: 1 };
    await accepted({ ...base, [field]: low });
    await accepted({ ...base, [field]: high });
    for (const value of outside)
      expect(await refused({ ...base, [field]: value })).toMatch(new RegExp(`^${field}: `));
  });

  test("seed + j stays exact for every choice j", async () => {
    const base = { prompt: "a", max_tokens: 1, n: 3 };
    await accepted({ ...base, seed: 2 ** 53 - 3 });
    expect(await refused({ ...base, seed: 2 ** 53 - 2 })).toMatch(/^seed: choice j takes seed \+ j/);
  });

  test("stop: at most 4, none empty", async () => {
    await accepted({ prompt: "a", stop: ["b", "c", "d", "e"] });
    for (const stop of [["b", "c", "d", "e", "f"], [""], "", 3])
      expect(await refused({ prompt: "a", stop })).toMatch(/^stop: /);
  });
});
