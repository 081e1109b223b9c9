import { ResiduaError } from "@residua/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type LocalLens, openLocal } from "../../src/local/open-local.ts";
import { loadModel, type Model } from "../../src/model.ts";
import { tinyModel } from "../support.ts";

let model: Model;
let lens: LocalLens;
beforeAll(async () => {
  model = await loadModel(tinyModel);
  lens = await openLocal(model);
});
afterAll(() => model.dispose());

const prompt = { prompt: "The city" };
const row = new Float32Array(96).fill(1);
const messages = [{ role: "user", content: "a" }];

/** Refused as `invalid_option` in these words. */
async function refused(run: () => unknown, words: RegExp): Promise<void> {
  const error: unknown = await Promise.resolve()
    .then(run)
    .then(
      () => "nothing",
      (reason: unknown) => reason,
    );
  expect(error).toBeInstanceOf(ResiduaError);
  expect(error).toMatchObject({ code: "invalid_option", message: expect.stringMatching(words) as string });
}

describe("what is no model is refused by name", () => {
  test.each<[unknown, string]>([
    [null, "null"],
    [undefined, "undefined"],
    ["", "an empty text"],
    [7, "7"],
    [{}, "an object"],
    [[tinyModel], "a list of 1"],
    [new URL("file:///models/tiny"), "a URL"],
    [() => tinyModel, "a function"],
  ])("%o", async (given, shown) => {
    await refused(
      () => openLocal(given as string),
      RegExp(`^folder: ${shown} given; allowed: the path of a model's folder or .gguf file.*loadModel$`),
    );
    await refused(() => loadModel(given as string), RegExp(`^path: ${shown} given; allowed: the path`));
  });
});

describe("options", () => {
  test.each<[object, RegExp]>([
    [{ modelID: "a" }, /^modelID is not known in options; known: modelId, checkpoint, prefixCache, backend$/],
    [{ modelId: "" }, /^modelId: an empty text given; allowed: a text, not empty$/],
    [{ checkpoint: 5 }, /^checkpoint: 5 given/],
    [{ prefixCache: "yes" }, /^prefixCache: a text of 3 characters given; allowed: true or false$/],
    [{ backend: "gpu" }, /^backend: a text of 3 characters given; allowed: wasm, native$/],
  ])("of openLocal: %o", (options, words) => refused(() => openLocal(tinyModel, options), words));

  test("of openLocal are an object, and those of loading go with a folder", async () => {
    await refused(() => openLocal(tinyModel, null as never), /^options: null given; allowed: an object$/);
    await refused(() => loadModel(tinyModel, "native" as never), /^options: a text of 6 characters given/);
    await refused(
      () => openLocal(model, { prefixCache: false }),
      /^prefixCache: false given; allowed: left out/,
    );
  });

  const methods: Record<string, (options: never) => unknown> = {
    logitLens: (options) => lens.local.logitLens(prompt, options),
    topTokens: (options) => lens.local.topTokens(row, options),
    unembedding: (options) => lens.local.unembedding(5, options),
    embedding: (options) => lens.local.embedding(5, options),
  };
  test.each(Object.entries(methods))("of %s", async (_, call) => {
    const options = (value: unknown) => () => call(value as never);
    await refused(options({ signl: 1 }), /^signl is not known in options; known: .*signal$/);
    await refused(options({ signal: "now" }), /^signal: .* given; allowed: an AbortSignal$/);
    await refused(options({ signal: new AbortController() }), /^signal: a AbortController given/);
    await refused(options(null), /^options: null given/);
    await refused(options([1]), /^options: a list of 1 given/);
  });

  test("their values", async () => {
    const { local } = lens;
    const wrong = (options: object) => options as { normScale?: boolean };
    await refused(() => local.topTokens(row, wrong({ normScale: 0 })), /^normScale: 0 given; allowed: true/);
    await refused(
      () => local.topTokens(row, wrong({ count: "5" })),
      /^count: .* whole number from 1 to 900$/,
    );
    await refused(() => local.logitLens(prompt, { top: 1.5 }), /^top: 1.5 given/);
    await refused(
      () => local.logitLens({ ...prompt, add_special_token: false } as typeof prompt),
      /^add_special_token is not known in the prompt's object; known: prompt, add_special_tokens$/,
    );
    const read = await local.logitLens(prompt, { top: 1, signal: undefined as never });
    expect(() => read.at({ layer: 1, at: 0 } as never)).toThrow(/^at is not known in place/);
    expect(() => read.at(null as never)).toThrow(/^place: null given/);
  });

  test("of what the lens has too", async () => {
    const wrong = { signal: "now" } as never;
    const request = { ...prompt, layers: [1] };
    for (const call of [
      () => lens.capture(request, wrong),
      () => lens.generate(prompt, wrong),
      () => lens.planCapture(request, wrong),
      () => lens.encodeChat({ messages }, wrong),
    ])
      await refused(call, /^signal: .*allowed: an AbortSignal$/);
  });
});
