import { describe, expect, it } from "vitest";
import { scriptedClient } from "../scripted-client.ts";

const words = { encode: (text: string) => text.split(" ").map((_, i) => i) };
const nothing = () => ({ status: 404, body: { error: { message: "no such route" } } });

describe("countTokens", () => {
  it("counts ids, asks a tokenizer, and has bounds without one", async () => {
    const { client, asked } = scriptedClient(nothing);
    expect(await client.countTokens([1, 2, 3])).toEqual({ least: 3, most: 3, source: "ids" });
    expect(await client.countTokens("one two", { tokenizer: words })).toEqual({
      least: 2,
      most: 2,
      source: "tokenizer",
    });
    expect(await client.countTokens("né")).toEqual({
      least: 1,
      most: 4,
      source: "bytes",
      reason: "the tokens of a text cannot be counted exactly without a tokenizer",
    });
    expect(await client.countTokens("né", { addSpecialTokens: false })).toMatchObject({ most: 3 });
    expect(asked).toEqual([]);
    const own = scriptedClient(nothing, { tokenizer: words });
    expect(await own.client.countTokens("a b c")).toMatchObject({ least: 3, most: 3, source: "tokenizer" });
  });

  it("asks a vLLM server once for each text, special tokens and model", async () => {
    const { client, asked } = scriptedClient(
      ({ body }) => ({
        body: { count: (body as { add_special_tokens: boolean }).add_special_tokens ? 8 : 7, tokens: [] },
      }),
      { profile: "vllm" },
    );
    const served = { least: 8, most: 8, source: "server" };
    expect(await client.countTokens("a text", { model: "m" })).toEqual(served);
    expect(await client.countTokens("a text", { model: "m" })).toEqual(served);
    expect(await client.countTokens("a text", { model: "m", addSpecialTokens: false })).toMatchObject({
      most: 7,
    });
    expect(await client.countTokens("a text")).toEqual(served);
    expect(asked.map(({ body }) => body)).toEqual([
      { prompt: "a text", add_special_tokens: true, model: "m" },
      { prompt: "a text", add_special_tokens: false, model: "m" },
      { prompt: "a text", add_special_tokens: true },
    ]);
  });

  it("says why when the server does not tell, and ends with a signal", async () => {
    const { client } = scriptedClient(nothing, { profile: "vllm" });
    const count = await client.countTokens("abc");
    expect(count).toMatchObject({ least: 1, most: 4, source: "bytes" });
    expect(count.reason).toMatch(/^the tokenizer failed: /);
    await expect(client.countTokens("abc", { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: "aborted",
    });
  });
});
