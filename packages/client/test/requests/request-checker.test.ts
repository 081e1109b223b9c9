import { describe, expect, expectTypeOf, it } from "vitest";
import { InvalidRequestError, serverTokenizer, type Tokenizer } from "../../src/index.ts";
import { type Answers, catalogue, completion, scriptedClient } from "./scripted-client.ts";

const models = "/v1/models";
const completions = "/v1/completions";

/** A server with this catalogue that completes everything. */
const serving =
  (list: object): Answers =>
  ({ path }) => ({ body: path === models ? list : completion });

/** One that has no catalogue to read. */
const unlisted: Answers = ({ path }) =>
  path === models
    ? { status: 500, body: { error: { message: "down", type: "", code: "x" } } }
    : { body: completion };

const ids = (length: number, id = 1) => Array<number>(length).fill(id);
/** The fields for which a request is refused before it is sent; none when it is answered. */
function refusal(sent: Promise<unknown>): Promise<string[]> {
  return sent.then(
    () => [],
    (error: unknown) => {
      if (error instanceof InvalidRequestError) return error.issues.map(({ field }) => field);
      throw error as Error;
    },
  );
}

describe("what the catalogue is asked for", () => {
  it("captures, steering and token ids ask once; a text asks nothing", async () => {
    const { client, paths } = scriptedClient(serving(catalogue({ hidden_size: 4096, n_layers: 32 })));
    await client.completions.create({ model: "m", prompt: "a" });
    expect(paths()).toEqual([completions]);
    await client.completions.create({ model: "m", prompt: "a", output_residual_stream: [1] });
    await client.completions.create({ model: "m", prompt: [1, 2] });
    expect(paths()).toEqual([completions, models, completions, completions]);
  });

  it("a capture is counted with the catalogue's hidden size, and refused before it is sent", async () => {
    const { client, paths } = scriptedClient(serving(catalogue({ hidden_size: 1024, n_layers: 32 })));
    const capture = { model: "m", prompt: ids(8191), max_tokens: 1, output_residual_stream: [0, 1, 2, 3] };
    expect(await refusal(client.completions.create(capture))).toEqual([]);
    expect(await refusal(client.completions.create({ ...capture, max_tokens: 2 }))).toEqual([
      "output_residual_stream",
    ]);
    expect(await refusal(client.completions.create({ ...capture, output_residual_stream: [32] }))).toEqual([
      "output_residual_stream",
    ]);
    expect(paths()).toEqual([models, completions]);
  });

  it("a catalogue that cannot be read makes an unknown, which is sent, unless the built-in table has the model", async () => {
    const { client, paths } = scriptedClient(unlisted);
    const capture = { prompt: ids(4000), max_tokens: 1, output_residual_stream: [0, 1, 2, 3] };
    expect(await refusal(client.completions.create({ ...capture, model: "m" }))).toEqual([]);
    expect(await refusal(client.completions.create({ ...capture, model: "llama-8b" }))).toEqual([
      "output_residual_stream",
    ]);
    const outcomes = await client.completions.check({ ...capture, model: "m" });
    expect(outcomes.find(({ rule }) => rule === "capture_numbers")).toMatchObject({ outcome: "unknown" });
    // It is not asked again at once.
    expect(paths()).toEqual([models, completions]);
  });

  it("what exceeds whatever the model is costs no question", async () => {
    const { client, paths } = scriptedClient(serving(catalogue({})));
    expect(await refusal(client.completions.create({ model: "m", prompt: [1], max_tokens: 32_001 }))).toEqual(
      ["max_tokens"],
    );
    expect(await refusal(client.completions.create({ model: "m", prompt: "a", temperature: 101 }))).toEqual([
      "temperature",
    ]);
    expect(paths()).toEqual([]);
  });

  it("a steering vector has the model's width, where that is known", async () => {
    const steered = (shape: number[]) => ({
      model: "m",
      prompt: "a",
      apply_steering_vectors: [
        {
          activations: {
            data: Buffer.alloc(4 * shape.reduce((a, b) => a * b)).toString("base64"),
            dtype: "float32",
            shape,
          },
          layer_indices: [0],
        },
      ],
    });
    const { client, paths } = scriptedClient(serving(catalogue({ hidden_size: 8, n_layers: 2 })));
    expect(await refusal(client.completions.create(steered([1, 8])))).toEqual([]);
    const sent = paths().length;
    for (const shape of [
      [1, 9],
      [1, 1],
      [1, 2, 7],
    ]) {
      expect(await refusal(client.completions.create(steered(shape)))).toEqual([
        "apply_steering_vectors[0].activations.shape",
      ]);
    }
    expect(paths()).toHaveLength(sent);
    const { client: blind } = scriptedClient(serving(catalogue({})));
    expect(await refusal(blind.completions.create(steered([1, 9])))).toEqual([]);
    blind.observe("m", { hiddenSize: 8 });
    expect(await refusal(blind.completions.create(steered([1, 9])))).toHaveLength(1);
  });

  it("an abort while it is asked is an abort", async () => {
    const controller = new AbortController();
    const { client } = scriptedClient(({ path }) => {
      if (path === models) controller.abort();
      return { body: completion };
    });
    const sent = client.completions.create({ model: "m", prompt: [1] }, { signal: controller.signal });
    await expect(sent).rejects.toMatchObject({ code: "aborted" });
  });
});

describe("a token id that the vocabulary lacks", () => {
  it("is refused by the catalogue's size, else the built-in one's, else the tokenizer's", async () => {
    const stated = scriptedClient(serving(catalogue({ vocab_size: 100 })));
    expect(await refusal(stated.client.completions.create({ model: "m", prompt: [99] }))).toEqual([]);
    expect(
      await refusal(stated.client.completions.create({ model: "m", prompt: [[1], [2, 100]], max_tokens: 1 })),
    ).toEqual(["prompt[1][1]"]);
    const builtIn = scriptedClient(unlisted);
    expect(
      await refusal(builtIn.client.completions.create({ model: "llama-405b", prompt: [128_256] })),
    ).toEqual(["prompt[0]"]);
    expect(await refusal(builtIn.client.completions.create({ model: "m", prompt: [128_256] }))).toEqual([]);
    const tokenizer: Tokenizer = { encode: () => [1], vocabSize: 50 };
    expect(
      await refusal(builtIn.client.completions.create({ model: "m", prompt: [50] }, { tokenizer })),
    ).toEqual(["prompt[0]"]);
    const words: Tokenizer = {
      encode: () => [1],
      get_vocab: () =>
        new Map([
          ["a", 0],
          ["b", 7],
        ]),
    };
    expect(
      await refusal(builtIn.client.completions.create({ model: "m", prompt: [7] }, { tokenizer: words })),
    ).toEqual([]);
    expect(
      await refusal(builtIn.client.completions.create({ model: "m", prompt: [8] }, { tokenizer: words })),
    ).toEqual(["prompt[0]"]);
  });

  it("without the vocabulary's size only what the server said is told", async () => {
    const { client } = scriptedClient(
      ({ path, body }) => {
        if (path === models) return { body: { object: "list", data: [{ id: "m", max_model_len: 1024 }] } };
        if (path !== "/detokenize") return { body: completion };
        return { body: { prompt: (body as { tokens: number[] }).tokens[0]! < 1000 ? "a" : "" } };
      },
      { profile: "vllm" },
    );
    const words = (id: number) =>
      client.completions.create({ model: "m", prompt: [0, id], max_tokens: 1 }).then(
        () => "sent",
        (error: unknown) => (error as InvalidRequestError).issues[0]?.allowed,
      );
    expect(await words(99_999_999)).toMatch(
      /^token ids that the model has: the server has no id 99999999\b(?!, and)/,
    );
    expect(await words(500)).toBe("sent");
    expect(await words(2000)).toMatch(
      /^token ids that the model has: the server has no id 2000, and has 500\b/,
    );
  });

  it("is asked of a vllm server, which answers an empty text; what was learnt is kept", async () => {
    const size = 49_152;
    const { client, asked, paths } = scriptedClient(
      ({ path, body }) => {
        if (path === models) return { body: { object: "list", data: [{ id: "m", max_model_len: 1024 }] } };
        if (path !== "/detokenize") return { body: completion };
        const { tokens } = body as { tokens: number[] };
        // A token that is a space is nothing at the start of a text.
        return { body: { prompt: tokens[0] === 5 ? " " : tokens.filter((id) => id < size).join(" ") } };
      },
      { profile: "vllm" },
    );
    const send = (prompt: number[]) =>
      refusal(client.completions.create({ model: "m", prompt, max_tokens: 1 }));
    expect(await send([5])).toEqual([]);
    expect(await send([3, 49_151])).toEqual([]);
    expect(await send([4, 100, 49_150])).toEqual([]);
    expect(await send([1, 49_152])).toEqual(["prompt[1]"]);
    expect(await send([1_000_000])).toEqual(["prompt[0]"]);
    const words = async (id: number) =>
      client.completions.create({ model: "m", prompt: [id], max_tokens: 1 }).then(
        () => "",
        (error: unknown) => (error as InvalidRequestError).issues[0]?.allowed,
      );
    // The largest that it has and the smallest that it lacks are known: so is the size.
    expect(await words(99_999)).toMatch(/^token ids 0 to 49151\b/);
    const probes = asked
      .filter(({ path }) => path === "/detokenize")
      .map(({ body }) => (body as { tokens: unknown }).tokens);
    expect(probes).toEqual([
      [5, 5],
      [49_151, 49_151],
      [49_152, 49_152],
    ]);
    expect(paths().filter((path) => path === completions)).toHaveLength(3);
    expect(
      await refusal(client.completions.create({ model: "m", prompt: "a", logit_bias: { 49_152: 1 } })),
    ).toEqual([]);
    expect(
      await refusal(client.completions.create({ model: "m", prompt: [1], stop_token_ids: [1] })),
    ).toEqual([]);
  });

  it("a server that refuses the id, or does not answer the question", async () => {
    const probed = (status: number) =>
      scriptedClient(
        ({ path }) =>
          path === "/detokenize"
            ? {
                status,
                body: {
                  error: {
                    message: "Token id 9 is out of vocabulary",
                    type: "BadRequestError",
                    param: null,
                    code: status,
                  },
                },
              }
            : { body: path === models ? { data: [] } : completion },
        { profile: "vllm" },
      ).client.completions.create({ model: "m", prompt: [9] });
    expect(await refusal(probed(400))).toEqual(["prompt[0]"]);
    expect(await refusal(probed(500))).toEqual([]);
    expect(await refusal(probed(404))).toEqual([]);
  });
});

describe("a tokenizer", () => {
  it("refuses a text that the model's context does not hold, and nothing else for its length in bytes", async () => {
    const { client, paths } = scriptedClient(serving(catalogue({ max_model_len: 100 })));
    const count = (length: number): Tokenizer => ({ encode: () => ({ length }) });
    const request = { model: "m", prompt: "word ".repeat(90), max_tokens: 10 };
    expect(await refusal(client.completions.create(request, { tokenizer: count(90) }))).toEqual([]);
    expect(await refusal(client.completions.create(request, { tokenizer: count(91) }))).toEqual([
      "max_tokens",
    ]);
    expect(paths()).toEqual([models, completions]);
  });

  const prompt = "é".repeat(200);
  const request = { model: "m", prompt, prompt_logprobs: -1 };
  const serve = serving(catalogue({}));
  const of = (encoded: unknown): Tokenizer => ({ encode: () => encoded as number[] });

  it.each([
    ["ids", ids],
    ["typed ids", (length: number) => new Int32Array(length)],
    ["an encoding", (length: number) => ({ ids: ids(length), attention_mask: [] })],
    ["a tensor", (length: number) => ({ input_ids: { size: length } })],
    ["input ids", (length: number) => ({ input_ids: ids(length) })],
    ["a number", (length: number) => ({ length })],
    ["a promise", (length: number) => Promise.resolve(ids(length))],
  ])("that gives %s counts exactly", async (_, encoded) => {
    const { client } = scriptedClient(serve);
    expect(await refusal(client.completions.create(request, { tokenizer: of(encoded(256)) }))).toEqual([]);
    expect(await refusal(client.completions.create(request, { tokenizer: of(encoded(257)) }))).toEqual([
      "prompt_logprobs",
    ]);
  });

  it("is asked only for what is unknown, with add_special_tokens in both spellings", async () => {
    const seen: unknown[] = [];
    const tokenizer: Tokenizer = {
      encode(text, options) {
        seen.push([text.length, options]);
        return ids(300);
      },
    };
    const { client } = scriptedClient(serve, { tokenizer });
    await client.completions.create({ ...request, prompt: "short" });
    expect(seen).toEqual([]);
    expect(await refusal(client.completions.create({ ...request, add_special_tokens: false }))).toEqual([
      "prompt_logprobs",
    ]);
    expect(seen).toEqual([[200, { addSpecialTokens: false, add_special_tokens: false }]]);
    const own = of(ids(10));
    expect(await refusal(client.completions.create(request, { tokenizer: own }))).toEqual([]);
  });

  it("that fails, or counts nothing, leaves an unknown with its reason", async () => {
    const { client } = scriptedClient(serve);
    const broken: Tokenizer = {
      encode() {
        throw new Error("no vocabulary");
      },
    };
    for (const [tokenizer, reason] of [
      [broken, "the tokenizer failed: no vocabulary"],
      [of("text"), "the tokenizer gave neither ids nor a length"],
      [of({ length: -1 }), "the tokenizer gave neither ids nor a length"],
      [of([[1, 2, 3]]), "the tokenizer gave neither ids nor a length"],
      [of([NaN, 1]), "the tokenizer gave neither ids nor a length"],
      [of({ ids: ["a", "b"] }), "the tokenizer gave neither ids nor a length"],
      [of({ input_ids: [-1] }), "the tokenizer gave neither ids nor a length"],
    ] as const) {
      const found = await client.completions.check(request, { tokenizer });
      expect(found.find(({ rule }) => rule === "full_vocabulary")).toMatchObject({
        outcome: "unknown",
        reason,
      });
      expect(await refusal(client.completions.create(request, { tokenizer }))).toEqual([]);
    }
  });

  it("that never answers is left by the signal", async () => {
    const { client } = scriptedClient(serve);
    const controller = new AbortController();
    const options = {
      tokenizer: { encode: () => new Promise<never>(() => undefined) },
      signal: controller.signal,
    };
    const sent = client.completions.create(request, options);
    setTimeout(() => controller.abort(), 10);
    await expect(sent).rejects.toMatchObject({ code: "aborted" });
  });

  it("fits the shapes of the Hugging Face packages", () => {
    interface TransformersTokenizer {
      encode(text: string, options?: { text_pair?: string | null; add_special_tokens?: boolean }): number[];
    }
    interface TokenizersTokenizer {
      encode(
        text: string,
        options?: { add_special_tokens?: boolean },
      ): { ids: number[]; tokens: string[]; attention_mask: number[] };
      get_vocab(with_added_tokens?: boolean): Map<string, number>;
    }
    expectTypeOf<TransformersTokenizer>().toExtend<Tokenizer>();
    expectTypeOf<TokenizersTokenizer>().toExtend<Tokenizer>();
  });

  it("can be the server: POST /tokenize, each text asked once", async () => {
    let count = 256;
    const { client, asked } = scriptedClient(
      ({ path }) => {
        if (path === "/tokenize")
          return { body: { count, max_model_len: 1024, tokens: ids(count), token_strs: null } };
        return { body: path === models ? { data: [{ id: "m", max_model_len: 260 }] } : completion };
      },
      { profile: "vllm" },
    );
    const tokenizer = serverTokenizer(client, { model: "m", remember: 1 });
    const send = (text: string) =>
      client.completions.check({ model: "m", prompt: text, max_tokens: 5 }, { tokenizer });
    const context = async (text: string) => (await send(text)).find(({ rule }) => rule === "context_length");
    expect(await context(prompt)).toMatchObject({
      outcome: "exceeds",
      sum: "256 prompt tokens + 5 max_tokens = 261",
      limit: 260,
    });
    await context(prompt);
    const tokenized = () => asked.filter(({ path }) => path === "/tokenize");
    expect(tokenized().map(({ body }) => body)).toEqual([{ prompt, add_special_tokens: true, model: "m" }]);
    count = 255;
    expect(await context("other")).toMatchObject({ outcome: "fits" });
    expect(await context(prompt)).toMatchObject({ outcome: "fits" });
    expect(tokenized()).toHaveLength(3);
  });
});

describe("completions.check", () => {
  it("gives every rule and sends nothing to be completed", async () => {
    const { client, paths } = scriptedClient(serving(catalogue({ max_model_len: 8192 })));
    const outcomes = await client.completions.check({
      model: "m",
      prompt: ["a", "b"],
      n: 200,
      max_tokens: 100,
    });
    expect(
      outcomes.filter(({ outcome }) => outcome === "exceeds").map(({ rule, sum }) => [rule, sum]),
    ).toEqual([["output_work", "2 prompts × 200 choices × 100 max_tokens = 40000"]]);
    expect(paths()).toEqual([models]);
    await expect(client.completions.check({ model: "m", prompt: "a", temperature: -1 })).rejects.toThrow(
      InvalidRequestError,
    );
  });
});
