import { describe, expect, test } from "vitest";
import type { ChatEncoder } from "../../src/chat/chat-encoder.ts";
import type { ChatMessage } from "../../src/chat/chat-message.ts";
import { encodeChatWith } from "../../src/chat/encode-chat-with.ts";
import type { EncodedChat } from "../../src/chat/encoded-chat.ts";
import { type ChatCase, chatEncoder, chatFixture, contentsOf } from "./chat-fixtures.ts";

const { templates, conversations, cases } = chatFixture;
const user = { role: "user", content: "Hi there" };
const answer = { role: "assistant", content: "Hello" };

function encoderOf({ tokenizer, template }: Pick<ChatCase, "tokenizer" | "template">): ChatEncoder {
  const bos = template.startsWith("llama") ? "<|begin_of_text|>" : template === "gemma" ? "<bos>" : "<s>";
  return chatEncoder(tokenizer, templates[template]!, { bos });
}

const encode = (template: string, messages: ChatMessage[], add_generation_prompt?: boolean) =>
  encodeChatWith(encoderOf({ tokenizer: "byte-level", template }), {
    messages,
    ...(add_generation_prompt !== undefined && { add_generation_prompt }),
  });

/** The text of each span. */
async function parts(template: string, chat: Omit<EncodedChat, "template">): Promise<string[]> {
  const { names } = await encoderOf({ tokenizer: "byte-level", template }).encode(chat.text!);
  const written = (from: number, to: number): string =>
    names.slice(from, to).join("").replaceAll("Ġ", " ").replaceAll("Ċ", "\n");
  return chat.spans.map(
    ({ message, part, start, end }) => `${message} ${part} ${JSON.stringify(written(start, end))}`,
  );
}

/** What it cannot tell, it refuses: a system text within a user's turn has no turn of its own. */
const isMerged = ({ template, conversation }: ChatCase) =>
  template === "gemma" && conversation.startsWith("system");

describe.each(Object.keys(templates))("template %s, as transformers writes it:", (template) => {
  const own = cases.filter((one) => one.template === template);

  test.each(own.filter((one) => one.refused === undefined && !isMerged(one)))(
    "$tokenizer, $conversation, header of an answer: $add_generation_prompt",
    async (one) => {
      const messages = conversations[one.conversation]!;
      const { add_generation_prompt } = one;
      const chat = await encodeChatWith(encoderOf(one), { messages, add_generation_prompt });
      expect(chat.text).toBe(one.text);
      expect(chat.tokenIds).toEqual(one.ids);
      expect(contentsOf(chat.spans)).toEqual(
        contentsOf(chat.spans).map((found, i) => one.contents[i] ?? found),
      );
      expect(one.contents.filter((content) => content !== null).length).toBeGreaterThan(0);
      // The spans follow each other without a gap, up to the last token.
      expect(chat.spans.map(({ start }) => start).slice(1)).toEqual(
        chat.spans.map(({ end }) => end).slice(0, -1),
      );
      expect(chat.spans.at(-1)!.end).toBe(one.ids.length);
    },
  );

  test("refuses what it refuses, and what it merges", async () => {
    for (const one of own.filter((one) => one.refused !== undefined || isMerged(one))) {
      const { add_generation_prompt } = one;
      const messages = conversations[one.conversation]!;
      await expect(encodeChatWith(encoderOf(one), { messages, add_generation_prompt })).rejects.toMatchObject(
        { code: isMerged(one) ? "turn_not_found" : "template_refused" },
      );
    }
  });
});

describe("spans", () => {
  test("part what the template writes before and after each content", async () => {
    expect(await parts("chatml", await encode("chatml", [user, answer, user]))).toEqual([
      '0 header "<|im_start|>user\\n"',
      '0 content "Hi there"',
      '0 end "<|im_end|>\\n"',
      '1 header "<|im_start|>assistant\\n"',
      '1 content "Hello"',
      '1 end "<|im_end|>\\n"',
      '2 header "<|im_start|>user\\n"',
      '2 content "Hi there"',
      '2 end "<|im_end|>\\n"',
      '3 header "<|im_start|>assistant\\n"',
    ]);
  });

  test.each([
    ["chatml_default_system", '0 header "<|im_start|>user\\n"'],
    ["llama31", '0 header "<|start_header_id|>user<|end_header_id|>\\n\\n"'],
    ["llama3", '0 header "<|start_header_id|>user<|end_header_id|>\\n\\n"'],
    ["inst", '0 header "[INST]"'],
  ])("of %s leave out a BOS and a system text that the template adds", async (template, header) => {
    const chat = await encode(template, [user]);
    expect((await parts(template, chat))[0]).toBe(header);
    expect(chat.spans[0]!.start).toBeGreaterThan(0);
  });

  test("leave a text that ends conversations to the last turn, where it stands", async () => {
    const closed = await parts("phi3", await encode("phi3", [user, answer], false));
    expect(closed.filter((part) => part.includes("end"))).toEqual([
      '0 end "<|end|>\\n"',
      '1 end "<|end|>\\n<|endoftext|>"',
    ]);
    const open = await parts("phi3", await encode("phi3", [user]));
    expect(open.slice(-2)).toEqual(['0 end "<|end|>\\n"', '1 header "<|assistant|>\\n"']);
  });

  test("tell turns by their header where the template writes earlier ones otherwise", async () => {
    const chat = await parts("thinking", await encode("thinking", [user, answer, user]));
    expect(chat.slice(3, 7)).toEqual([
      '1 header "<|im_start|>assistant\\n"',
      '1 content "Hello"',
      '1 end "<|im_end|>\\n"',
      '2 header "<|im_start|>user\\n"',
    ]);
  });

  test("of an empty content are empty", async () => {
    const chat = await encode("chatml", [{ role: "user", content: "" }]);
    expect(contentsOf(chat.spans)).toEqual([[3, 3]]);
  });

  test("give a token that holds part of a content to it", async () => {
    // "[INST] Hi [/INST]": the vocabulary has " Hi" as one token.
    const template = "{% for m in messages %}{{ 'a ' + m['content'] + ' b' }}{% endfor %}";
    const chat = await encodeChatWith(chatEncoder("byte-level", template), {
      messages: [{ role: "user", content: "is wet" }],
    });
    const { names } = await chatEncoder("byte-level", template).encode(chat.text!);
    const [content] = contentsOf(chat.spans);
    expect(names.slice(...content!).join("")).toBe("ĠisĠwet");
  });
});

test("C30: a conversation is tokenised whole, never in parts that would cut its words", async () => {
  const encoder = encoderOf({ tokenizer: "byte-level", template: "inst" });
  const texts: string[] = [];
  const noting: ChatEncoder = {
    ...encoder,
    encode(text) {
      texts.push(text);
      return encoder.encode(text);
    },
  };
  const { tokenIds, text } = await encodeChatWith(noting, { messages: [user, answer] });
  expect(new Set(texts)).toEqual(new Set([text]));
  expect(tokenIds).toEqual((await encoder.encode(text!)).ids);
});

test("an answer's header follows unless the last message is an answer", async () => {
  expect((await encode("chatml", [user])).text).toMatch(/assistant\n$/);
  expect((await encode("chatml", [user, answer])).text).toMatch(/Hello<\|im_end\|>\n$/);
});

describe("refuses", () => {
  const think = { role: "assistant", content: "<think>two and two</think>Four" };
  test.each([
    ["reasoning that the template takes out", "thinking", [user, think, user], "template_rewrites"],
    [
      "a system text in a user's turn",
      "gemma",
      [{ role: "system", content: "Be brief." }, user],
      "turn_not_found",
    ],
    ["roles that the template refuses", "inst", [user, user], "template_refused"],
  ])("%s", async (_, template, messages, code) => {
    await expect(encode(template, messages)).rejects.toMatchObject({ code });
  });

  test.each([
    ["leaves out", "{% for m in messages %}{{ m['role'] }}{% endfor %}"],
    ["writes twice", "{% for m in messages %}{{ m['content'] + m['content'] }}{% endfor %}"],
    ["changes", "{% for m in messages %}{{ m['content'] | upper }}{% endfor %}"],
    ["announces", "{% for m in messages %}{{ m['content'] | length }}{{ m['content'] }}{% endfor %}"],
  ])("a content that the template %s", async (_, template) => {
    await expect(
      encodeChatWith(chatEncoder("byte-level", template), { messages: [user] }),
    ).rejects.toMatchObject({ code: "template_rewrites" });
  });

  test("tokens of another text, such as one that the tokenizer composes", async () => {
    const encoder = chatEncoder("byte-level", templates["chatml"]!);
    const composing: ChatEncoder = { ...encoder, encode: (text) => encoder.encode(text.normalize("NFC")) };
    const messages = [{ role: "user", content: "cafe\u0301" }];
    await expect(encodeChatWith(composing, { messages })).rejects.toMatchObject({ code: "tokens_unspelt" });
    const composed = [{ role: "user", content: "caf\u00e9" }];
    await expect(encodeChatWith(composing, { messages: composed })).resolves.toBeDefined();
  });

  test.each([
    ["no message", { messages: [] }],
    ["parts in place of text", { messages: [{ role: "user", content: [] }] }],
    ["a field that a span could not tell", { messages: [{ ...user, tool_calls: [] }] }],
    ["another option", { messages: [user], continue: true }],
  ])("%s", async (_, request) => {
    const encoder = chatEncoder("byte-level", templates["chatml"]!);
    await expect(encodeChatWith(encoder, request as { messages: ChatMessage[] })).rejects.toMatchObject({
      code: "invalid_option",
    });
  });

  test("C22: a BOS of the tokenizer's own before that of the template, and one in the first message", async () => {
    const bosId = Number(chatEncoder("byte-level", "").bos);
    const template = "{{ bos_token }}{% for m in messages %}{{ m['content'] }}{% endfor %}";
    const twice: ChatEncoder = {
      ...chatEncoder("byte-level", template),
      // The text has it, and special tokens were added.
      async encode(text) {
        const { ids, names } = await chatEncoder("byte-level", template).encode(text);
        return { ids: [bosId, ...ids], names: ["<s>", ...names] };
      },
    };
    await expect(encodeChatWith(twice, { messages: [user] })).rejects.toMatchObject({
      code: "template_bos_doubled",
    });
    const messages = [{ role: "user", content: "<s>Hi" }];
    await expect(encodeChatWith(chatEncoder("byte-level", template), { messages })).rejects.toMatchObject({
      code: "template_bos_doubled",
    });
    const once = await encodeChatWith(chatEncoder("byte-level", template), { messages: [user] });
    expect(once.tokenIds.filter((id) => id === bosId)).toHaveLength(1);
  });
});
