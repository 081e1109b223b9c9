import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { GeneratedToken } from "../src/generation-request.ts";
import { loadModel, type Model } from "../src/model.ts";
import { tinyModel } from "./support.ts";

let model: Model;
beforeAll(async () => {
  model = await loadModel(tinyModel);
});
afterAll(() => model.dispose());

type Request = Parameters<Model["generate"]>[0][number];
/** Runs a request and collects what it reports on the way. */
async function watch(request: Request) {
  const tokens: GeneratedToken[] = [];
  const prompts: unknown[] = [];
  const [generation] = await model.generate([
    { ...request, onToken: (token) => tokens.push(token), onPrompt: (logprobs) => prompts.push(logprobs) },
  ]);
  return { generation: generation!, tokens, prompts };
}

describe("tokens as they are generated", () => {
  test("add up to the choices: tokens, texts, log probabilities, the end with the last one", async () => {
    const prompt = model.tokenizer.encode("The");
    const request = {
      prompt,
      maxTokens: 30,
      n: 3,
      seed: 4,
      temperature: 1.2,
      logprobs: 2,
      promptLogprobs: 1,
    };
    const { generation, tokens, prompts } = await watch(request);
    const quiet = (await model.generate([request]))[0]!;
    expect(generation).toEqual(quiet);
    expect(prompts).toEqual([quiet.promptLogprobs]);
    quiet.choices.forEach((choice, index) => {
      const own = tokens.filter(({ choice }) => choice === index);
      expect(own.map(({ token }) => token)).toEqual(choice.tokens);
      expect(own.map(({ text }) => text).join("")).toBe(choice.text);
      expect(own.map(({ logprobs }) => logprobs)).toEqual(choice.logprobs);
      expect(own.slice(0, -1).every(({ finishReason }) => finishReason === null)).toBe(true);
      expect(own.at(-1)).toMatchObject({ finishReason: choice.finishReason, stopReason: choice.stopReason });
    });
  });

  test("characters come whole", async () => {
    const prompt = model.tokenizer.encode("Größe 🌍");
    const { tokens, generation } = await watch({ prompt, maxTokens: 200, seed: 3, temperature: 40 });
    expect(tokens.map(({ text }) => text).join("")).toBe(generation.choices[0]!.text);
    // At this temperature nearly every token is drawn alike, single bytes of characters among them.
    expect(tokens.some(({ text }) => text === "")).toBe(true);
  });

  test("the beginning of a stop text is held back, and let go when it was none", async () => {
    const prompt = model.tokenizer.encode("The city");
    const free = (await model.generate([{ prompt, maxTokens: 12, temperature: 0 }]))[0]!.choices[0]!.text;
    const at = Math.floor(free.length / 2);
    const stop = free.slice(at, at + 4);
    const real = await watch({ prompt, maxTokens: 12, temperature: 0, stop: [stop] });
    expect(real.tokens.map(({ text }) => text).join("")).toBe(free.slice(0, free.indexOf(stop)));
    const never = await watch({ prompt, maxTokens: 12, temperature: 0, stop: [`${free}\u0000`] });
    expect(never.tokens.map(({ text }) => text)).toEqual([
      ...Array<string>(never.tokens.length - 1).fill(""),
      free,
    ]);
  });

  test("an error of the listener ends its request alone", async () => {
    const prompt = model.tokenizer.encode("The");
    const failing = model.generate([
      {
        prompt,
        maxTokens: 5,
        onToken: () => {
          throw new Error("not today");
        },
      },
    ]);
    const other = model.generate([{ prompt, maxTokens: 5, temperature: 0 }]);
    await expect(failing).rejects.toThrow("not today");
    expect((await other)[0]!.choices[0]!.tokens.length).toBeGreaterThan(0);
    expect(model.stats()).toMatchObject({ active: 0, waiting: 0 });
  });
});

test("stats count every token that was run", async () => {
  const before = model.stats();
  const prompt = model.tokenizer.encode("The city");
  const [generation] = await model.generate([{ prompt, maxTokens: 6, n: 2, seed: 1 }]);
  const generated = generation!.choices.reduce((sum, { tokens }) => sum + tokens.length, 0);
  expect(model.stats()).toEqual({
    ...before,
    promptTokens: before.promptTokens + prompt.length,
    generatedTokens: before.generatedTokens + generated,
    prefixQueries: before.prefixQueries + prompt.length,
  });
});
