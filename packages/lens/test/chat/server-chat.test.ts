import { readFileSync } from "node:fs";
import { beforeEach, describe, expect, test } from "vitest";
import { lensAt } from "../lens-at.ts";
import { codeOf, vllmAt } from "../recorded/vllm-replay.ts";
import { smollm2Chats } from "./smollm2-chats.ts";

interface Exchange {
  request: object;
  status: number;
  body: { tokens?: number[]; token_strs?: string[] };
}

const exchanges = JSON.parse(
  readFileSync(new URL("../../fixtures/chat/tokenize-exchanges.json", import.meta.url), "utf8"),
) as Exchange[];

/** Fields in any order. */
const keyOf = (body: unknown): string =>
  JSON.stringify(Object.entries(body as object).sort(([a], [b]) => (a < b ? -1 : 1)));
const answers = new Map(exchanges.map(({ request, ...answer }) => [keyOf(request), answer]));

const recorded = (change: (body: Exchange["body"], request: unknown) => Exchange["body"] = (body) => body) =>
  vllmAt(({ path, body }) => {
    const answer = path === "/tokenize" ? answers.get(keyOf(body)) : undefined;
    return answer && { status: answer.status, body: change(answer.body, body) };
  });
const messages = [{ role: "user", content: "What is the capital of France?" }];

describe("a recorded server's conversations", () => {
  let lens: Awaited<ReturnType<typeof recorded>>["lens"];
  beforeEach(async () => {
    ({ lens } = await recorded());
  });
  smollm2Chats(() => lens);
});

test("what the template refuses says so, with the server's words", async () => {
  const { lens } = await recorded();
  const request = { messages: [{ role: "user", content: "Hi" }], chat_template_kwargs: { messages: 1 } };
  await expect(lens.encodeChat(request)).rejects.toMatchObject({
    code: "template_refused",
    message: expect.stringContaining("multiple values for keyword argument") as string,
  });
});

test("an error that is not the template's passes through", async () => {
  const { lens } = await vllmAt(({ path }) =>
    path === "/tokenize"
      ? { status: 422, body: { error: { message: "no", type: "x", code: 422 } } }
      : undefined,
  );
  await expect(lens.encodeChat({ messages })).rejects.toMatchObject({ name: "APIError", status: 422 });
});

test("a server that does not spell its tokens is refused", async () => {
  const { lens } = await recorded(({ token_strs: _, ...body }) => body);
  expect(await codeOf(lens.encodeChat({ messages }))).toBe("tokens_unspelt");
});

test("C22: a server that adds a BOS to conversations is refused: its ids are not those of the text", async () => {
  const { lens } = await recorded((body, request) =>
    "messages" in (request as object)
      ? { ...body, tokens: [1, ...body.tokens!], token_strs: ["", ...body.token_strs!] }
      : body,
  );
  expect(await codeOf(lens.encodeChat({ messages }))).toBe("tokens_unspelt");
});

test("the model and the options are checked before anything is sent", async () => {
  const { lens, server } = await recorded();
  expect(await codeOf(lens.encodeChat({ messages: [] }))).toBe("invalid_option");
  expect(await codeOf(lens.encodeChat({ messages }, { sinal: 1 } as object))).toBe("invalid_option");
  expect(server.asked).toEqual([]);
});

test("a server without templates says what to use", async () => {
  const { lens } = await lensAt(() => undefined);
  await expect(lens.encodeChat({ messages })).rejects.toMatchObject({
    code: "not_available",
    message: expect.stringContaining("openLocal") as string,
  });
});
