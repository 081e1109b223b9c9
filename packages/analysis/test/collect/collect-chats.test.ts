import { ChatError, type EncodedChat } from "@residua/lens";
import { expect, test } from "vitest";
import {
  assistantTokens,
  collect,
  type CollectOptions,
  endOfTurn,
  type Example,
  planCollection,
} from "../../src/index.ts";
import { freshFolder } from "./collect-helpers.ts";
import { MemoryLens } from "./memory-lens.ts";

const chats: Example[] = ["yes", "no", "rewritten"].map((answer, i) => ({
  id: `c${i}`,
  messages: [
    { role: "user", content: `question ${i}` },
    { role: "assistant", content: answer },
  ],
  labels: { i },
}));

/** Four tokens a message: one of its header, two of its content, one behind it; and a BOS that is nobody's. */
function chatting(template: (i: number) => string | null = () => null): MemoryLens {
  let count = 0;
  return Object.assign(new MemoryLens(), {
    encodeChat({
      messages,
    }: {
      messages: readonly { role: string; content: string }[];
    }): Promise<EncodedChat> {
      if (messages.some(({ content }) => content === "rewritten"))
        return Promise.reject(new ChatError("template_rewrites", "messages[1]: the template rewrites it"));
      const spans = messages.flatMap(({ role }, message) => {
        const at = 1 + message * 4;
        return [
          { message, role, part: "header" as const, start: at, end: at + 1 },
          { message, role, part: "content" as const, start: at + 1, end: at + 3 },
          { message, role, part: "end" as const, start: at + 3, end: at + 4 },
        ];
      });
      const tokenIds = [
        0,
        ...messages.flatMap(({ content }, i) => [1, content.length, content.charCodeAt(0) + i, 2]),
      ];
      const sha256 = template(count++)?.repeat(64) ?? null;
      return Promise.resolve({ tokenIds, spans, text: "rendered", template: { source: "server", sha256 } });
    },
  });
}
const run = async (lens: MemoryLens, options: Partial<CollectOptions> = {}, of = chats) =>
  collect(lens, of, { layers: [1], select: "all", to: options.to ?? (await freshFolder()), ...options });

test("conversations are captured by the template's ids; roles, template and text are recorded", async () => {
  const sent: unknown[] = [];
  const lens = chatting();
  const capture = lens.capture.bind(lens);
  lens.capture = (request, options) => {
    sent.push(request.prompt);
    return capture(request, options);
  };
  const dataset = await run(lens, { concurrency: 1 });
  expect(sent[0]).toEqual([0, 1, 10, 113, 2, 1, 3, 122, 2]);
  expect((await dataset.column("role")).slice(0, 9)).toEqual([
    "prompt",
    ...Array<string>(4).fill("user"),
    ...Array<string>(4).fill("assistant"),
  ]);
  expect((await dataset.column("text"))[0]).toBe("rendered");
  expect(dataset.manifest.chatTemplate).toEqual({ source: "server", sha256: null });
  expect(await dataset.failures()).toMatchObject([
    { example: "c2", stage: "chat", code: "template_rewrites", contentHash: null },
  ]);
  const again = chatting();
  expect((await run(again, { to: dataset.folder, retryFailed: false })).rows).toBe(18);
  expect(again.captures).toBe(0);
});

test("selections by role", async () => {
  const dataset = await run(chatting(), { select: assistantTokens });
  expect(await dataset.column("position")).toEqual([6, 7, 6, 7]);
  const ends = await run(chatting(), { select: endOfTurn });
  expect(await ends.column("position")).toEqual([8, 8]);
  const prompt = [{ id: "p", prompt: "no messages", labels: { i: 1 } }];
  await expect(run(chatting(), { select: assistantTokens }, prompt)).rejects.toMatchObject({
    code: "invalid_request",
  });
});

test("two templates in one dataset are refused", async () => {
  const lens = chatting((i) => (i === 0 ? "a" : "b"));
  await expect(run(lens)).rejects.toThrow(/SHA-256 b+; expected the chat template of those before it/);
  expect(lens.captures).toBe(0);
});

test("a lens that has no templates refuses conversations by name, and the plan names those that fail", async () => {
  await expect(run(new MemoryLens())).rejects.toMatchObject({ code: "not_available" });
  const plan = await planCollection(chatting(), chats, { layers: [1], to: await freshFolder() });
  expect(plan).toMatchObject({ examples: 3, problems: [{ index: 2, example: "c2" }] });
});
