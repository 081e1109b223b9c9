import { describe, expect, it } from "vitest";
import { InvalidRequestError } from "../../src/index.ts";
import { scriptedClient } from "./scripted-client.ts";

describe("the routes at a vllm server's root", () => {
  const tokenization = {
    count: 2,
    max_model_len: 1024,
    tokens: [504, 3575],
    token_strs: null,
    of_a_later_server: 1,
  };

  it("tokenize takes a text or a conversation, and gives what the server adds too", async () => {
    const { client, asked } = scriptedClient(() => ({ body: tokenization }), { profile: "vllm" });
    expect(await client.tokenize({ prompt: "The capital" })).toEqual(tokenization);
    const messages = [{ role: "user", content: "Hi" }];
    await client.tokenize({ messages, add_generation_prompt: false, continue_final_message: true });
    expect(asked).toEqual([
      { method: "POST", path: "/tokenize", body: { prompt: "The capital" } },
      {
        method: "POST",
        path: "/tokenize",
        body: { messages, add_generation_prompt: false, continue_final_message: true },
      },
    ]);
    const both = { messages, add_generation_prompt: true, continue_final_message: true };
    await expect(client.tokenize(both)).rejects.toThrow(/add_generation_prompt: false/);
    // @ts-expect-error one text only
    await expect(client.tokenize({ prompt: ["a"] })).rejects.toThrow(InvalidRequestError);
    expect(asked).toHaveLength(2);
  });

  it("detokenize and version", async () => {
    const { client, paths } = scriptedClient(
      ({ path }) => ({ body: path === "/version" ? { version: "0.30.0" } : { prompt: "The" } }),
      { profile: "vllm" },
    );
    expect(await client.detokenize({ tokens: [504] })).toEqual({ prompt: "The" });
    expect(await client.version()).toEqual({ version: "0.30.0" });
    await expect(client.detokenize({ tokens: [-1] })).rejects.toThrow(/tokens\[0\]: -1/);
    expect(paths()).toEqual(["/detokenize", "/version"]);
  });

  it("an answer that is something else is an error", async () => {
    const { client } = scriptedClient(() => ({ body: { tokens: "none" } }), { profile: "vllm" });
    for (const sent of [
      client.tokenize({ prompt: "a" }),
      client.detokenize({ tokens: [1] }),
      client.version(),
    ]) {
      await expect(sent).rejects.toMatchObject({ code: "unexpected_response" });
    }
  });
});

describe("health", () => {
  const answering = (status: number, text: string) =>
    scriptedClient(() => ({ status, text }), { maxRetries: 5 });

  it.each([
    [200, "", "ok"],
    [200, '{"status":"degraded","backends":[]}', "degraded"],
    [200, "{}", "ok"],
    [503, "", "down"],
    [503, '{"status":"down"}', "down"],
  ])("%i %s is %s, asked once", async (status, text, wanted) => {
    const { client, asked } = answering(status, text);
    expect(await client.health()).toMatchObject({ status: wanted });
    expect(asked).toEqual([{ method: "GET", path: "/health", body: null }]);
  });

  it("any other answer is an error", async () => {
    await expect(answering(404, '{"detail":"Not Found"}').client.health()).rejects.toMatchObject({
      status: 404,
    });
    await expect(answering(200, "<html>").client.health()).rejects.toMatchObject({
      code: "unexpected_response",
    });
  });
});
