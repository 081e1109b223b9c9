import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { tensorCount } from "../src/backend.ts";
import { ModelFolderError } from "../src/engine-error.ts";
import { loadModel, type Model } from "../src/model.ts";
import { fixtureJson, tinyModel } from "./support.ts";

interface Reference {
  cases: { text: string; ids: number[]; greedy: number[] }[];
}

let model: Model;
let reference: Reference;
let scratch: string;

beforeAll(async () => {
  model = await loadModel(tinyModel);
  reference = await fixtureJson<Reference>("tiny-reference.json");
  scratch = await mkdtemp(join(tmpdir(), "residua-engine-"));
});
afterAll(async () => {
  await model.dispose();
  await rm(scratch, { recursive: true });
});

const greedy = async (
  request: Partial<Parameters<Model["generate"]>[0][number]> & { prompt: readonly number[] },
) => (await model.generate([{ maxTokens: 8, temperature: 0, ...request }]))[0]!;

test("twenty prompts in one call give transformers' greedy tokens up to the end token", async () => {
  const results = await model.generate(
    reference.cases.map(({ ids }) => ({ prompt: ids, maxTokens: 8, temperature: 0 })),
  );
  results.forEach(({ choices: [choice] }, i) => {
    const expected = reference.cases[i]!.greedy;
    const end = expected.findIndex((token) => model.config.eosTokenIds.includes(token));
    const tokens = end < 0 ? expected : expected.slice(0, end + 1);
    expect(choice!.tokens).toEqual(tokens);
    expect(choice!.finishReason).toBe(end < 0 ? "length" : "stop");
    expect(choice!.stopReason).toBeNull();
    const shown = end < 0 ? tokens : tokens.slice(0, -1);
    expect(choice!.text).toBe(model.tokenizer.decode(shown, { skipSpecialTokens: true }));
  });
});

describe("stop texts", () => {
  const prompt = () => reference.cases.find(({ text }) => text === "The")!.ids;

  test("the text is cut before the first one, whose tokens are all kept", async () => {
    const free = (await greedy({ prompt: prompt() })).choices[0]!;
    // A text that begins inside one token and ends inside a later one.
    const at = Math.floor(free.text.length / 2);
    const stop = free.text.slice(at, at + 5);
    const first = free.text.indexOf(stop);
    const stopped = (await greedy({ prompt: prompt(), stop: ["\u0000never", stop] })).choices[0]!;
    expect(stopped).toMatchObject({
      text: free.text.slice(0, first),
      finishReason: "stop",
      stopReason: stop,
    });
    expect(stopped.tokens).toEqual(free.tokens.slice(0, stopped.tokens.length));
    const before = model.tokenizer.decode(stopped.tokens.slice(0, -1), { skipSpecialTokens: true });
    expect(before.includes(stop)).toBe(false);
    expect(model.tokenizer.decode(stopped.tokens, { skipSpecialTokens: true })).toContain(stop);
  });

  test("a capture has prompt + generated − 1 positions, the token that held the stop text counted", async () => {
    const { choices, capture } = await greedy({ prompt: prompt(), stop: [" "], capture: [4, 1] });
    expect(capture!.layers).toEqual([1, 4]);
    expect(capture!.positions).toBe(prompt().length + choices[0]!.tokens.length - 1);
    for (const values of capture!.values) expect(values.length).toBe(capture!.positions * 96);
  });
});

test("a decode step's capture and log probability equal those of the whole text run at once", async () => {
  const { ids } = reference.cases.find(({ text }) => text === "The")!;
  const decoded = await greedy({ prompt: ids, maxTokens: 6, capture: [0, 2, 4], logprobs: 4 });
  const { tokens, logprobs } = decoded.choices[0]!;
  expect(tokens.length).toBe(6);
  const whole = await greedy({
    prompt: [...ids, ...tokens],
    maxTokens: 1,
    capture: [0, 2, 4],
    promptLogprobs: 4,
  });
  decoded.capture!.values.forEach((values, layer) => {
    expect(values).toEqual(whole.capture!.values[layer]!.subarray(0, values.length));
  });
  expect(logprobs).toEqual([...whole.promptLogprobs!].slice(ids.length));
});

test("prompt log probabilities: none for the first token, the whole vocabulary for -1", async () => {
  const { ids } = reference.cases[4]!;
  const { promptLogprobs } = await greedy({ prompt: ids, maxTokens: 1, promptLogprobs: -1 });
  expect(promptLogprobs!.length).toBe(ids.length);
  expect(promptLogprobs!.at(0)).toBeNull();
  for (const [i, entry] of promptLogprobs!.entries()) {
    if (entry === null) continue;
    expect(entry.token).toBe(ids[i]);
    expect(entry.top.length).toBe(model.config.vocabSize);
    expect(entry.top[entry.rank - 1]).toEqual({
      token: entry.token,
      logprob: entry.logprob,
      rank: entry.rank,
    });
    const total = entry.top.reduce((sum, { logprob }) => sum + Math.exp(logprob), 0);
    expect(total).toBeCloseTo(1, 9);
  }
});

describe("requests that cannot be run name the field", () => {
  const rows = new Float32Array(96);
  const vector = { layers: [0], rows, positions: null, scale: 1, normMatch: false };
  test.each([
    ["prompt", { prompt: [] }],
    ["prompt", { prompt: [1_000_000] }],
    ["prompt", { prompt: [1.5] }],
    ["maxTokens", { maxTokens: 0 }],
    ["n", { n: 0 }],
    ["n", { n: 2, capture: [0] }],
    ["temperature", { temperature: NaN }],
    ["topP", { topP: 0 }],
    ["topK", { topK: -2 }],
    ["topK", { topK: 1.5 }],
    ["minP", { minP: 1.01 }],
    ["presencePenalty", { presencePenalty: Infinity }],
    ["frequencyPenalty", { frequencyPenalty: NaN }],
    ["repetitionPenalty", { repetitionPenalty: 0 }],
    ["priority", { priority: -1 }],
    ["seed", { seed: -1 }],
    ["stop", { stop: [""] }],
    ["logprobs", { logprobs: -1 }],
    ["promptLogprobs", { promptLogprobs: -2 }],
    ["capture", { capture: [99] }],
    ["capture", { capture: [1, 1] }],
    ["steering[0].layers", { steering: [{ ...vector, layers: [99] }] }],
    ["steering[0].rows", { steering: [{ ...vector, rows: rows.subarray(1) }] }],
    ["steering[1].rows", { steering: [vector, { ...vector, rows: rows.map(() => NaN) }] }],
    ["steering[0].scale", { steering: [{ ...vector, scale: Infinity }] }],
    ["steering[0].positions", { steering: [{ ...vector, positions: [-1] }] }],
  ])("%s", async (field, request) => {
    const failure = greedy({ prompt: [0], ...request });
    await expect(failure).rejects.toMatchObject({ name: "EngineRequestError", data: { field } });
    await expect(failure).rejects.toThrow(field);
  });

  test("a request longer than the context prints the sum", async () => {
    await expect(greedy({ prompt: [0, 1], maxTokens: 1023 })).rejects.toThrow(
      "2 prompt tokens + 1023 max_tokens = 1025, over the 1024 tokens that the model takes",
    );
    expect((await greedy({ prompt: Array<number>(1023).fill(5), maxTokens: 1 })).choices.length).toBe(1);
  });
});

describe("model folders", () => {
  const changed = async (name: string, change: (folder: string) => Promise<unknown>) => {
    const folder = join(scratch, name);
    await cp(tinyModel, folder, { recursive: true });
    await change(folder);
    return folder;
  };

  test.each([
    ["no-config", "folder_unreadable", (folder: string) => rm(join(folder, "config.json"))],
    ["bad-config", "config_invalid", (folder: string) => writeFile(join(folder, "config.json"), "{")],
    [
      "bad-tokenizer",
      "tokenizer_invalid",
      (folder: string) => writeFile(join(folder, "tokenizer.json"), "{}"),
    ],
    ["no-weights", "weights_invalid", (folder: string) => rm(join(folder, "model.safetensors"))],
    [
      "cut-weights",
      "weights_invalid",
      (folder: string) => writeFile(join(folder, "model.safetensors"), "12345678901"),
    ],
  ])("%s is refused with %s, and nothing stays loaded", async (name, code, change) => {
    const before = tensorCount();
    const failure = loadModel(await changed(name, change));
    await expect(failure).rejects.toBeInstanceOf(ModelFolderError);
    await expect(failure).rejects.toMatchObject({ code });
    expect(tensorCount()).toBe(before);
  });

  test("a missing folder says what a model folder holds", async () => {
    await expect(loadModel(join(scratch, "nothing"))).rejects.toThrow(
      /config\.json, tokenizer\.json and model\.safetensors/,
    );
  });

  test("dispose frees every tensor and can be called twice", async () => {
    const before = tensorCount();
    const other = await loadModel(tinyModel);
    expect(tensorCount()).toBeGreaterThan(before);
    await Promise.all([other.dispose(), other.dispose()]);
    expect(tensorCount()).toBe(before);
  });
});
