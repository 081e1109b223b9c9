import { expect, test } from "vitest";
import type { Lens } from "../../src/lens-types.ts";
import { contentsOf, smollm2Fixture } from "./chat-fixtures.ts";

const { conversations, cases } = smollm2Fixture;

/** What a vLLM server says of SmolLM2's conversations is what transformers says. */
export function smollm2Chats(lens: () => Pick<Lens<"vllm">, "encodeChat">): void {
  test.each(cases)(
    "$conversation, header of an answer: $add_generation_prompt",
    async ({ conversation, add_generation_prompt, text, ids, contents }) => {
      const messages = conversations[conversation]!;
      const chat = await lens().encodeChat({ messages, add_generation_prompt });
      expect(chat.tokenIds).toEqual(ids);
      expect(chat.text).toBe(text);
      expect(contentsOf(chat.spans)).toEqual(contentsOf(chat.spans).map((found, i) => contents[i] ?? found));
      expect(chat.template).toEqual({ source: "server", sha256: null });
    },
  );
}
