import { createClient } from "@residua/client";
import { openLocal } from "@residua/engine";
import { createLens, type Lens } from "@residua/lens";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startServer } from "../../src/index.ts";
import { chattingModel } from "../vllm/vllm-support.ts";

let local: Pick<Lens, "encodeChat" | "capture">;
let served: Pick<Lens<"vllm">, "encodeChat" | "capture">;
let close: () => Promise<void>;
beforeAll(async () => {
  const model = await chattingModel();
  local = await openLocal(model, { modelId: "tiny" });
  const server = await startServer({ model, modelId: "tiny", profile: "vllm" });
  const client = createClient({ baseURL: server.url, profile: "vllm" });
  served = createLens(client);
  close = async () => {
    await client.close();
    await server.close();
    await model.dispose();
  };
}, 120_000);
afterAll(() => close());

const messages = [
  { role: "user", content: "Paris is in France." },
  { role: "assistant", content: "That is true." },
  { role: "user", content: "Is Rome in Spain?" },
];

test("a server and a folder of one model agree on the tokens and on whose they are", async () => {
  for (const add_generation_prompt of [true, false]) {
    const request = { messages, add_generation_prompt };
    const [here, there] = [await local.encodeChat(request), await served.encodeChat(request)];
    expect(there.tokenIds).toEqual(here.tokenIds);
    expect(there.spans).toEqual(here.spans);
    expect(there.text).toBe(here.text);
    expect(here.template).toEqual({
      source: "folder",
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    });
  }
});

test("C22: what is captured is the conversation's ids, with nothing before them", async () => {
  const { tokenIds, spans } = await served.encodeChat({ messages });
  const capture = await served.capture({ prompt: tokenIds, layers: [1] });
  expect(capture.tokens.slice(0, tokenIds.length).map(({ id }) => id)).toEqual(tokenIds);
  const contents = spans
    .filter(({ part }) => part === "content")
    .map(({ start, end }) =>
      capture.tokens
        .slice(start, end)
        .map(({ text }) => text)
        .join("")
        .trim(),
    );
  expect(contents).toEqual(messages.map(({ content }) => content));
});
