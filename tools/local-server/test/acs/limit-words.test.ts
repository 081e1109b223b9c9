import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadModel, type Model } from "@residua/engine";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  jobRequestSchema,
  parseCompletionRequest,
  prepareCompletion,
  type ServedModel,
} from "@residua/engine/api";
import { ids, start, tinyModel, vector, type Running } from "../support.ts";

// The numbers are those of the API's pages "Create Completion Job" and "Sample continuations"; each test is named by their
// words. A request is prepared for a model of the size that they speak of, and not run.
let tiny: Model;
beforeAll(async () => {
  tiny = await loadModel(tinyModel);
});
afterAll(() => tiny.dispose());

/** A model that the catalogue would have: only what the limits look at is changed. */
function sized(countedHiddenSize: number, layers: number): ServedModel {
  const config = { ...tiny.config, layers, contextLength: 40_000 };
  return {
    id: "tiny",
    checkpoint: "residua/tiny",
    model: { ...tiny, config },
    countedHiddenSize,
    listed: true,
  };
}

function prepared(served: ServedModel, body: object, job: boolean) {
  const json = { model: "tiny", ...body };
  return prepareCompletion(
    job ? parseCompletionRequest(json, jobRequestSchema) : parseCompletionRequest(json),
    served,
    {
      job,
    },
  );
}

/** The first is taken, the second refused. */
function boundary(served: ServedModel, taken: object, refused: object, message: string, job = false): void {
  prepared(served, taken, job);
  expect(() => prepared(served, refused, job)).toThrow(message);
}

const layersOf = (count: number) => Array.from({ length: count }, (_, layer) => layer);
const capture = (layers: number | true, tokens: number) => ({
  prompt: ids(tokens - 1),
  max_tokens: 1,
  output_residual_stream: layers === true ? true : layersOf(layers),
});

describe("layers × tokens is at most", () => {
  test.each([
    ["8192 for llama-8b (hidden size 4096)", 4096, 32, 8192],
    ["2048 for llama-405b (hidden size 16384)", 16_384, 126, 2048],
    ["10922 for trinity-truebase (hidden size 3072)", 3072, 60, 10_922],
  ])("%s", (_, hiddenSize, layers, most) => {
    const served = sized(hiddenSize, layers);
    const over = "over the 33554432 a capture may hold";
    boundary(served, capture(1, most), capture(1, most + 1), over);
    const tokens = Math.floor(most / layers);
    boundary(served, capture(true, tokens), capture(true, tokens + 1), over);
    boundary(served, capture(layers, tokens), capture(layers, tokens + 1), over);
    // The tokens are the prompt's and max_tokens, which is 16 where it is left out.
    const { max_tokens: _max, ...open } = capture(1, most - 15);
    boundary(served, open, { ...open, prompt: ids(most - 15) }, over);
    boundary(
      served,
      { ...open, prompt: ids(1), max_tokens: most - 1 },
      { ...open, prompt: ids(1), max_tokens: most },
      over,
    );
  });

  test("a model that the catalogue does not have counts as 16384", async () => {
    const running = await start({ model: tiny });
    const ask = async (tokens: number) =>
      (await running.complete({ ...capture(2, tokens), model: "tiny-uncatalogued" })).status;
    expect(await ask(1024)).toBe(200);
    const three = { ...capture(3, 683), model: "tiny-uncatalogued" };
    expect((await running.complete(three)).body.error.message).toContain("3 layers × 683 tokens × 16384");
    await running.server.close();
  });
});

describe("steering", () => {
  const positions = (count: number) => ({
    prompt: ids(count),
    max_tokens: 1,
    apply_steering_vectors: [vector([1, count, tiny.config.hiddenSize])],
  });
  const over = "over the 2097152 steering vectors may hold in all";

  test.each([
    ["at hidden size 4096", 4096, 512],
    ["at hidden size 16384", 16_384, 128],
    ["at hidden size 3072", 3072, 682],
  ])("2097152 numbers in all, %s", (_, hiddenSize, most) => {
    boundary(sized(hiddenSize, 4), positions(most), positions(most + 1), over);
  });

  test("2097152 numbers in all, to the number", () => {
    // The sum is made from the shape, before the data are looked at: these are too short for either.
    const ask = (count: number) => {
      const { activations, ...rest } = vector([1, 1, tiny.config.hiddenSize]);
      const shape = [1, count, tiny.config.hiddenSize];
      return {
        prompt: "a",
        max_tokens: 1,
        apply_steering_vectors: [{ ...rest, activations: { ...activations, shape } }],
      };
    };
    const served = sized(1, 4);
    expect(() => prepared(served, ask(2_097_152), false)).toThrow("activations.data: has 384 bytes");
    expect(() => prepared(served, ask(2_097_153), false)).toThrow("= 2097153 numbers, over the 2097152");
  });

  test("at most 8 vectors", () => {
    const many = (count: number) => ({
      prompt: "a",
      max_tokens: 1,
      apply_steering_vectors: Array<object>(count).fill(vector([1, tiny.config.hiddenSize])),
    });
    boundary(sized(96, 4), many(8), many(9), "9 vectors, over the 8");
  });
});

describe("a request generates at most 32000 tokens in all: the number of prompts × n × max_tokens", () => {
  const over = "over the 32000 a request may generate";
  const ask = (prompts: number, n: number, max_tokens: number) => ({
    prompt: Array<number[]>(prompts).fill([7]),
    n,
    max_tokens,
  });
  test.each([
    [1, 1, 32_000],
    [2, 2, 8000],
    [4, 32, 250],
    [1000, 1, 32],
    [1, 1000, 32],
  ])("%d × %d × %d", (prompts, n, most) => {
    boundary(sized(96, 4), ask(prompts, n, most), ask(prompts, n, most + 1), over);
  });

  test("at most 1024 choices in all, and 128 of a job", () => {
    const served = sized(96, 4);
    for (const [job, most] of [
      [false, 1024],
      [true, 128],
    ] as const) {
      const message = `over the ${most} a request may ask for`;
      boundary(served, ask(1, most, 1), ask(1, most + 1, 1), message, job);
      boundary(served, ask(most, 1, 1), ask(most + 1, 1, 1), message, job);
      boundary(served, ask(most / 4, 4, 1), ask(most / 4 + 1, 4, 1), message, job);
    }
  });
});

describe("prompt_logprobs", () => {
  const full = (tokens: number, extra: object = {}) => ({
    prompt: ids(tokens),
    max_tokens: 1,
    prompt_logprobs: -1,
    ...extra,
  });

  test("-1 for at most 256 prompt tokens in all × n (16 with output_residual_stream)", () => {
    const served = sized(96, 4);
    boundary(served, full(256), full(257), "257 tokens, over the 256");
    boundary(served, full(64, { n: 4 }), full(65, { n: 4 }), "260 tokens, over the 256");
    const lists = (length: number) => full(1, { prompt: [ids(128), ids(length)] });
    boundary(served, lists(128), lists(129), "257 tokens, over the 256");
    for (const layers of [true, [0]])
      boundary(
        served,
        full(16, { output_residual_stream: layers }),
        full(17, { output_residual_stream: layers }),
        "17 tokens, over the 16",
      );
    // False is for none.
    for (const none of [false, null])
      boundary(
        served,
        full(256, { output_residual_stream: none }),
        full(257, { output_residual_stream: none }),
        "over the 256",
      );
  });

  test("33554432 in all: prompt tokens × n × (this + 1), and logprobs + 1 more with echo", () => {
    const served = sized(96, 4);
    const over = "over the 33554432 a request may return";
    // 2^15 prompt tokens × 2^10 choices are all of them at 0.
    const ask = (tokens: number, n: number, extra: object) => ({
      prompt: ids(tokens),
      n,
      max_tokens: 1,
      ...extra,
    });
    boundary(
      served,
      ask(32_768, 1024, { prompt_logprobs: 0 }),
      ask(32_769, 1024, { prompt_logprobs: 0 }),
      over,
    );
    boundary(
      served,
      ask(16_384, 1024, { prompt_logprobs: 1 }),
      ask(16_385, 1024, { prompt_logprobs: 1 }),
      over,
    );
    const echo = { prompt_logprobs: 0, logprobs: 0, echo: true };
    boundary(served, ask(16_384, 1024, echo), ask(16_385, 1024, echo), over);
    // Without echo the logprobs of the generated tokens do not count.
    prepared(served, ask(16_385, 1024, { ...echo, echo: false }), false);
    boundary(
      served,
      ask(3322, 100, { prompt_logprobs: 100 }),
      ask(3323, 100, { prompt_logprobs: 100 }),
      "3323 prompt tokens × 100 choices × 101 a token = 33562300",
    );
  });
});

test("a field that you leave out takes OpenAI's default: max_tokens 16, in every formula", () => {
  const served = sized(96, 4);
  const [generation] = prepared(served, { prompt: "a" }, false).generations;
  expect(generation).toMatchObject({
    maxTokens: 16,
    n: 1,
    temperature: 1,
    topP: 1,
    topK: 0,
    minP: 0,
    stop: [],
  });
  boundary(
    served,
    { prompt: ids(39_984) },
    { prompt: ids(39_985) },
    "39985 prompt tokens + 16 max_tokens = 40001",
  );
});

describe("the model's own settings play no part", () => {
  let folder: string;
  let own: Running;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "residua-settings-"));
    await cp(tinyModel, folder, { recursive: true });
    const settings = {
      ...{ do_sample: true, temperature: 0.01, top_k: 1, top_p: 0.1, min_p: 0.9, repetition_penalty: 3 },
      ...{ max_new_tokens: 2, max_length: 3, eos_token_id: [1, 262, 276] },
    };
    await writeFile(join(folder, "generation_config.json"), JSON.stringify(settings));
    own = await start({ model: await loadModel(folder) });
  });
  afterAll(async () => {
    await own.close();
    await rm(folder, { recursive: true });
  });

  test("so a request samples in the same way on every model", async () => {
    const plain = await start({ model: tiny });
    for (const body of [
      { prompt: "The city", seed: 5 },
      { prompt: "The city of Rome is", temperature: 0, max_tokens: 12, logprobs: 2 },
      { prompt: ["The", "A"], n: 2, seed: 1, max_tokens: 9, temperature: 3 },
    ])
      expect((await own.complete(body)).body.choices).toEqual((await plain.complete(body)).body.choices);
    await plain.server.close();
  });
});

test("`model` of an answer is the checkpoint, not the id that was sent", async () => {
  const running = await start({ model: tiny, modelId: "llama-8b", checkpoint: "meta-llama/Llama-3.1-8B" });
  for (const model of ["llama-8b", "llama-8b-uncatalogued"])
    expect((await running.complete({ model, prompt: "a" })).body.model).toBe("meta-llama/Llama-3.1-8B");
  await running.server.close();
});
