import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { tensorCount } from "../../src/backend.ts";
import { type LocalLens, openLocal } from "../../src/local/open-local.ts";
import { tinyModel } from "../support.ts";
import { compareDirections, compareLogitLens, referenceLens, tolerance } from "./reference-lens.ts";

let lens: LocalLens;
beforeAll(async () => {
  lens = await openLocal(tinyModel);
});
afterAll(() => lens.dispose());
const prompt = "The city of Paris is in Europe. Verdict:";

describe("the logit lens", () => {
  test("says what transformers says", async () => {
    const worst = await compareLogitLens(lens, await referenceLens("tiny"), tolerance.tiny);
    expect(worst).toBeGreaterThan(0);
  });

  test("of a capture is that of its rows, which are bfloat16", async () => {
    const capture = await lens.capture({ prompt, layers: [-1, 2, 5] });
    const found = await lens.local.logitLens(capture, { positions: [-1, 3], top: 2 });
    expect(found).toMatchObject({
      model: "model",
      layers: [-1, 2, 5],
      positions: [capture.positions - 1, 3],
    });
    expect(found.tokens).toEqual([capture.tokens.at(-2), capture.tokens[3]]);
    expect(found.topIds).toHaveLength(3 * 2 * 2);
    const whole = await lens.local.logitLens({ prompt }, { layers: [-1, 2, 5] });
    for (const layer of found.layers) {
      for (const position of found.positions) {
        const [rounded, exact] = [found, whole].map((one) => one.at({ layer, position }));
        expect(Math.abs(rounded!.entropy - exact!.entropy)).toBeLessThan(0.02);
        expect(rounded!.top[0]!.id).toBe(exact!.top[0]!.id);
      }
      // The last layer is the final distribution itself.
      expect(found.at({ layer: 5, position: 3 }).kl).toBe(0);
    }
    expect(found.kl.every((kl) => kl >= -1e-9)).toBe(true);
  });

  test("of rows near the end of float32's range is that of the same rows a power of two smaller", async () => {
    const capture = await lens.capture({ prompt, layers: [2, 5] });
    // The norm's epsilon is nothing beside either.
    const [large, larger] = await Promise.all(
      [2 ** 30, 2 ** 118].map((factor) =>
        lens.local.logitLens({
          ...capture,
          row: (place) => capture.row(place).map((value) => value * factor),
        }),
      ),
    );
    expect(larger!.entropy).toEqual(large!.entropy);
    expect(larger!.topLogprobs).toEqual(large!.topLogprobs);
    expect([...larger!.kl, ...larger!.topLogprobs].every(Number.isFinite)).toBe(true);
  });

  test("at the last layer gives the log probabilities of a completion", async () => {
    const { choices } = await lens.generate({ prompt, max_tokens: 1, temperature: 0, logprobs: 3 });
    const found = await lens.local.logitLens({ prompt }, { layers: [5], positions: [-1], top: 3 });
    const top = choices[0]?.logprobs?.top_logprobs?.[0] as Record<string, number>;
    const read = found.at({ layer: 5, position: -1 }).top;
    expect(Object.fromEntries(read.map(({ text, logprob }) => [text, logprob.toFixed(9)]))).toEqual(
      Object.fromEntries(Object.entries(top).map(([text, logprob]) => [text, logprob.toFixed(9)])),
    );
  });

  test("of ids, at every position and at one", async () => {
    const ids = Array.from({ length: 60 }, (_, i) => 7 * i);
    const found = await lens.local.logitLens({ prompt: ids }, { top: 1 });
    expect(found.positions).toHaveLength(60);
    expect(found.topIds).toHaveLength(6 * 60);
    expect(found.topLogprobs.every((logprob) => logprob < 0)).toBe(true);
    const late = await lens.local.logitLens({ prompt: ids }, { top: 1, positions: [59], layers: [3] });
    expect(late.entropy[0]).toBe(found.entropy[3 * 60 + 59]);
  });

  test.each<[string, object, object]>([
    ["invalid_option", { prompt }, { top: 0 }],
    ["invalid_option", { prompt }, { layers: [6] }],
    ["invalid_option", { prompt }, { layers: [1, 1] }],
    ["invalid_option", { prompt }, { layers: [] }],
    ["invalid_option", { prompt }, { positions: [] }],
    ["invalid_option", {}, {}],
    ["position_out_of_range", { prompt }, { positions: [99] }],
    ["position_out_of_range", { prompt }, { positions: [0.5] }],
    ["invalid_request", { prompt: [900] }, {}],
    ["context_length_exceeded", { prompt: Array(1024).fill(1) }, {}],
    ["aborted", { prompt }, { signal: AbortSignal.abort() }],
  ])("%s, case %#", async (code, of, options) => {
    await expect(lens.local.logitLens(of as { prompt: string }, options)).rejects.toMatchObject({ code });
  });

  test("a capture without the last layer, or of another model, is refused by name", async () => {
    const capture = await lens.capture({ prompt, layers: [1] });
    await expect(lens.local.logitLens(capture)).rejects.toThrow(/last layer.*capture it too/);
    await expect(lens.local.logitLens({ ...capture, hiddenSize: 97 })).rejects.toMatchObject({
      code: "other_model",
    });
    const server = { ...capture.server, checkpoint: "residua/finetuned" };
    await expect(lens.local.logitLens({ ...capture, layers: [5], server })).rejects.toMatchObject({
      code: "other_model",
      message: expect.stringContaining(
        "the capture is of residua/finetuned, and this model is residua/",
      ) as string,
    });
    const whole = await lens.capture({ prompt, layers: [1, 5] });
    await expect(lens.local.logitLens(whole, { layers: [2] })).rejects.toMatchObject({
      code: "layer_not_captured",
    });
    const found = await lens.local.logitLens(whole, { positions: [1] });
    expect(() => found.at({ layer: 2, position: 1 })).toThrow(/layer 2 asked; read: 1, 5/);
    expect(() => found.at({ layer: 1, position: 2 })).toThrow(/position 2 asked; read: 1/);
  });
});

describe("directions and tokens", () => {
  test.each([1, 2 ** 126, 1e38, 1e-36])(
    "the ends of a direction are transformers', times %d",
    async (factor) => {
      await compareDirections(lens, await referenceLens("tiny"), factor);
    },
  );

  test("every number at the end of float32's range has finite scores", async () => {
    const most = 3.4028234663852886e38;
    for (const normScale of [true, false]) {
      const { top, bottom } = await lens.local.topTokens(new Float32Array(96).fill(most), { normScale });
      const ones = await lens.local.topTokens(new Float32Array(96).fill(1), { normScale });
      expect(top.map(({ id }) => id)).toEqual(ones.top.map(({ id }) => id));
      for (const [i, { score }] of top.entries()) expect(score / most / ones.top[i]!.score).toBeCloseTo(1, 5);
      expect(bottom.every(({ score }) => Number.isFinite(score))).toBe(true);
    }
    await expect(lens.local.topTokens(new Float32Array(96))).rejects.toMatchObject({
      code: "steering_zero_vector",
    });
  });

  test("a token's embedding is layer −1 where it stands", async () => {
    const { cases } = await referenceLens("tiny");
    for (const { ids, embeddings } of cases) {
      const capture = await lens.capture({ prompt: ids, layers: [-1] });
      expect(capture.layers).toEqual([-1]);
      for (const [position, id] of ids.entries()) {
        const row = await lens.local.embedding(id);
        embeddings[position]!.forEach((value, i) => expect(row[i]).toBe(Math.fround(value)));
        expect(capture.row({ layer: -1, position })).toEqual(Float32Array.from(row, bf16));
      }
    }
  });

  test("a direction object is read, and a text that is one token", async () => {
    const row = await lens.local.unembedding(" Europe");
    const direction = { layer: 3, vector: row, method: "a row" };
    const [first] = (await lens.local.topTokens(direction, { count: 1, normScale: false })).top;
    expect(first!.id).toBe(320);
    expect(row).toEqual(await lens.local.unembedding(320));
  });

  test("what cannot be is refused", async () => {
    const { local } = lens;
    await expect(local.unembedding("two words")).rejects.toThrow(/a text that is one token; this one is \d/);
    await expect(local.embedding(900)).rejects.toThrow(/a token id from 0 to 899/);
    await expect(local.topTokens(new Float32Array(95).fill(1))).rejects.toMatchObject({
      code: "steering_width",
    });
    await expect(local.topTokens([NaN])).rejects.toMatchObject({ code: "steering_not_finite" });
    await expect(local.topTokens(new Float32Array(96), { count: 901 })).rejects.toMatchObject({
      code: "invalid_option",
    });
  });

  test("no tensor is left behind", async () => {
    const run = async () => {
      await lens.local.logitLens({ prompt });
      await lens.local.topTokens(await lens.local.unembedding(5));
    };
    await run();
    const before = tensorCount();
    for (let i = 0; i < 5; i++) await run();
    expect(tensorCount()).toBe(before);
  });
});

/** Rounded to nearest even: the tiny model's weights are float32. */
function bf16(value: number): number {
  const bits = new Uint32Array(Float32Array.of(value).buffer)[0]!;
  const rounded = (bits + 0x7fff + ((bits >>> 16) & 1)) & 0xffff_0000;
  return new Float32Array(Uint32Array.of(rounded).buffer)[0]!;
}
