import { Template } from "@huggingface/jinja";
import { Tokenizer } from "@huggingface/tokenizers";
import { readFileSync } from "node:fs";
import type { ChatEncoder } from "../../src/chat/chat-encoder.ts";
import { ChatError } from "../../src/chat/chat-error.ts";
import type { ChatMessage } from "../../src/chat/chat-message.ts";
import type { ChatSpan } from "../../src/chat/encoded-chat.ts";

/** What transformers made of a conversation; see fixtures/chat/make-chat.py. */
export interface ChatCase {
  tokenizer: string;
  template: string;
  conversation: string;
  add_generation_prompt: boolean;
  refused?: string;
  text: string;
  ids: number[];
  /** Of each message; null where its content stands in the text more than once. */
  contents: ([number, number] | null)[];
}

interface ChatFixture {
  templates: Record<string, string>;
  conversations: Record<string, ChatMessage[]>;
  cases: ChatCase[];
}

const read = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../fixtures/chat/${name}`, import.meta.url), "utf8"));

export const chatFixture = read("chat.json") as ChatFixture;
export const smollm2Fixture = read("smollm2.json") as Omit<ChatFixture, "templates">;

/** The part of the library used here: its own declarations do not resolve under Node's module rules. */
interface LibraryTokenizer {
  encode(text: string, options: { add_special_tokens: boolean }): { ids: number[] };
  get_vocab(): Map<string, number>;
}
const tokenizers = new Map<string, LibraryTokenizer>();

/** One of the two small tokenizers, and any template. `added` is put before the ids, as a tokenizer's own BOS would be. */
export function chatEncoder(
  kind: string,
  template: string,
  { bos = "<s>", added = [] as number[] } = {},
): ChatEncoder {
  const tokenizer =
    tokenizers.get(kind) ??
    new (Tokenizer as unknown as new (json: unknown, config: object) => LibraryTokenizer)(
      read(`${kind}.json`),
      {},
    );
  tokenizers.set(kind, tokenizer);
  const names = new Map(Array.from(tokenizer.get_vocab(), ([name, id]) => [id, name]));
  const parsed = new Template(template);
  return {
    render(messages, options) {
      try {
        return parsed.render({ messages, bos_token: bos, ...options });
      } catch (error) {
        throw new ChatError("template_refused", (error as Error).message);
      }
    },
    encode(text) {
      const ids = [...added, ...tokenizer.encode(text, { add_special_tokens: false }).ids];
      return { ids, names: ids.map((id) => names.get(id) ?? "") };
    },
    bos: tokenizer.get_vocab().get(bos) ?? null,
  };
}

/** Of each message the positions of its content. */
export function contentsOf(spans: readonly ChatSpan[]): [number, number][] {
  return spans.filter(({ part }) => part === "content").map(({ start, end }) => [start, end]);
}
