import type { PositionLogprobs } from "@residua/engine";
import { describe, expect, test } from "vitest";
import { completed, serveOctoai, type OctoaiCompletion } from "./octoai-support.ts";

const running = serveOctoai();

const prompt = "The city of Größe";
const fields = { prompt, max_tokens: 6, temperature: 0 };
type Content = NonNullable<OctoaiCompletion["choices"][number]["logprobs"]>["content"];
const contentOf = async (more: object): Promise<Content> =>
  (await completed(running, { ...fields, ...more })).choices[0]!.logprobs!.content;

/** The engine's own entries: those of the prompt but for its first token, and those of the output. */
async function engineEntries(count: number) {
  const request = { prompt: running.model.tokenizer.encode(prompt), maxTokens: 6, temperature: 0 };
  const [generation] = await running.model.generate([{ ...request, logprobs: count, promptLogprobs: count }]);
  expect(generation!.promptLogprobs!.at(0)).toBeNull();
  return {
    prompt: [...generation!.promptLogprobs!].slice(1) as PositionLogprobs[],
    output: generation!.choices[0]!.logprobs!,
  };
}

function expectEntries(content: Content, entries: readonly PositionLogprobs[]): void {
  const text = (token: number) => running.model.tokenizer.decode([token]);
  expect(content.map(({ token, logprob }) => [token, logprob])).toEqual(
    entries.map(({ token, logprob }) => [text(token), logprob]),
  );
  content.forEach(({ top_logprobs }, i) => {
    expect(top_logprobs.map(({ token, logprob }) => [token, logprob])).toEqual(
      entries[i]!.top.map(({ token, logprob }) => [text(token), logprob]),
    );
  });
}

test("logprobs: each token, and so many likeliest ones in falling order", async () => {
  for (const count of [0, 3])
    expectEntries(await contentOf({ logprobs: count }), (await engineEntries(count)).output);
});

test("bytes: those of all tokens make the text, of characters that are split too", async () => {
  const content = await contentOf({ loglikelihood: true });
  const bytes = content.flatMap(({ bytes }) => bytes);
  // The first token, which is left out, is the model's own and has no text.
  expect(new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(bytes))).toBe(prompt);
  expect(content.some(({ token }) => token.includes("\uFFFD"))).toBe(true);
});

describe("loglikelihood", () => {
  test("alone: every token of the prompt but the first, nothing of the output", async () => {
    const { prompt: entries } = await engineEntries(0);
    expectEntries(await contentOf({ loglikelihood: true }), entries);
    expect(entries.length).toBe(running.model.tokenizer.encode(prompt).length - 1);
  });

  test("with logprobs: those, then the output's", async () => {
    const { prompt: before, output } = await engineEntries(2);
    expectEntries(await contentOf({ loglikelihood: true, logprobs: 2 }), [...before, ...output]);
  });

  test("false, or left out, shows none", async () => {
    const { choices } = await completed(running, { ...fields, loglikelihood: false });
    expect(choices[0]!.logprobs).toBeNull();
  });

  test("of each prompt goes with each of its choices", async () => {
    const { choices } = await completed(running, {
      prompt: ["The city", "A fine film"],
      n: 2,
      max_tokens: 2,
      loglikelihood: true,
    });
    const tokens = choices.map(({ logprobs }) => logprobs!.content.map(({ token }) => token).join(""));
    expect(tokens.map((text) => text.trim())).toEqual(["The city", "The city", "A fine film", "A fine film"]);
  });

  test("of a prompt of one token is empty", async () => {
    const one = { prompt: [5], max_tokens: 1, loglikelihood: true };
    expect((await completed(running, one)).choices[0]!.logprobs).toEqual({ content: [] });
  });
});

test("echo shows the prompt's entries with logprobs, and no entry without", async () => {
  const { prompt: before, output } = await engineEntries(1);
  expectEntries(await contentOf({ echo: true, logprobs: 1 }), [...before, ...output]);
  expect((await completed(running, { ...fields, echo: true })).choices[0]!.logprobs).toBeNull();
});
