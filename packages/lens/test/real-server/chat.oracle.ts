import { createClient } from "@residua/client";
import { afterAll, describe, expect, test } from "vitest";
import { createLens } from "../../src/create-lens.ts";
import { smollm2Chats } from "../chat/smollm2-chats.ts";

// As vllm.oracle.ts. What POST /tokenize answers is in fixtures/chat/tokenize-exchanges.json (see record-chat.mjs there).

const client = createClient({
  baseURL: `${process.env["RESIDUA_ORACLE"]!}/v1`,
  apiKey: "",
  profile: "vllm",
  models: { smollm2: { hiddenSize: 576, layers: 30, vocabSize: 49152 } },
});
const lens = createLens(client);
afterAll(() => client.close());

describe("conversations of a real server", () => smollm2Chats(() => lens));

test("C22: a conversation's ids are captured as they are, without a BOS before them", async () => {
  const { tokenIds, spans } = await lens.encodeChat({
    messages: [{ role: "user", content: "Is water wet?" }],
  });
  const capture = await lens.capture({ prompt: tokenIds, layers: [3] });
  expect(capture.tokens.slice(0, -1).map(({ id }) => id)).toEqual(tokenIds);
  const content = spans.find(({ part }) => part === "content")!;
  const texts = capture.tokens.slice(content.start, content.end).map(({ text }) => text);
  expect(texts.join("")).toBe("Is water wet?");
});

test("what the server refuses", async () => {
  const request = { messages: [{ role: "user", content: "Hi" }], chat_template_kwargs: { messages: 1 } };
  await expect(lens.encodeChat(request)).rejects.toMatchObject({ code: "template_refused" });
});
