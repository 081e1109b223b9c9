import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ggufChatTemplate, readChatTemplate } from "../src/chat-template.ts";
import type { GgufFile } from "../src/gguf-file.ts";

let empty: string;
beforeAll(async () => {
  empty = await mkdtemp(join(tmpdir(), "residua-chat-template-"));
});
afterAll(() => rm(empty, { recursive: true }));

test("tokenizer_config.json's own, with the special tokens in both of their forms", async () => {
  const config = { chat_template: "A", bos_token: "<s>", eos_token: { content: "</s>", lstrip: false } };
  expect(await readChatTemplate(empty, { ...config, unk_token: null, model_max_length: 8 })).toEqual({
    template: "A",
    specialTokens: { bos_token: "<s>", eos_token: "</s>" },
  });
});

test("of several, the default one", async () => {
  const all = [
    { name: "tool_use", template: "T" },
    { name: "default", template: "D" },
  ];
  expect((await readChatTemplate(empty, { chat_template: all }))!.template).toBe("D");
  expect(await readChatTemplate(empty, { chat_template: all.slice(0, 1) })).toBeNull();
});

test("chat_template.jinja comes first; without either there is none", async () => {
  const folder = await mkdtemp(join(empty, "jinja"));
  await writeFile(join(folder, "chat_template.jinja"), "J");
  expect((await readChatTemplate(folder, { chat_template: "A" }))!.template).toBe("J");
  expect(await readChatTemplate(empty, {})).toBeNull();
  expect(await readChatTemplate(empty, { chat_template: 7 })).toBeNull();
});

test("a GGUF file's, its special tokens by their ids", () => {
  const metadata = new Map<string, unknown>([
    ["tokenizer.ggml.tokens", ["<s>", "</s>", "<pad>"]],
    ["tokenizer.ggml.bos_token_id", 0],
    ["tokenizer.ggml.eos_token_id", 1],
    ["tokenizer.ggml.padding_token_id", 2],
    ["tokenizer.ggml.unknown_token_id", 9],
  ]);
  const read = () => ggufChatTemplate({ metadata: metadata as GgufFile["metadata"] });
  expect(read()).toBeNull();
  metadata.set("tokenizer.chat_template", "G");
  expect(read()).toEqual({
    template: "G",
    specialTokens: { bos_token: "<s>", eos_token: "</s>", pad_token: "<pad>" },
  });
});
