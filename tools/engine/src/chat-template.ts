import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { GgufFile } from "./gguf-file.ts";

/** How a model writes a conversation as text: a Jinja template and what it may name. */
export interface ChatTemplate {
  readonly template: string;
  /** The texts of special tokens by the names that templates use, such as `bos_token`. */
  readonly specialTokens: Readonly<Record<string, string>>;
}

const tokenText = z.union([z.string(), z.looseObject({ content: z.string() }).transform((t) => t.content)]);
const named = z.array(z.looseObject({ name: z.string(), template: z.string() }));
const chatTemplate = z
  .union([z.string(), named.transform((all) => all.find(({ name }) => name === "default")?.template)])
  .nullish()
  .catch(undefined);

/**
 * The chat template of a Hugging Face folder: `chat_template.jinja`, else that of tokenizer_config.json (its "default"
 * where there are several). Null where the model has none.
 */
export async function readChatTemplate(folder: string, configJson: unknown): Promise<ChatTemplate | null> {
  const config = Object(configJson) as Record<string, unknown>;
  const file = await readFile(join(folder, "chat_template.jinja"), "utf8").catch(() => undefined);
  const template = file ?? chatTemplate.parse(config["chat_template"]);
  if (template == null) return null;
  const specialTokens = Object.entries(config).flatMap(([name, value]) => {
    const text = tokenText.safeParse(value);
    return name.endsWith("_token") && text.success ? [[name, text.data] as const] : [];
  });
  return { template, specialTokens: Object.fromEntries(specialTokens) };
}

/** The chat template in a GGUF file's metadata; null where it has none. */
export function ggufChatTemplate({ metadata }: Pick<GgufFile, "metadata">): ChatTemplate | null {
  const template = metadata.get("tokenizer.chat_template");
  if (typeof template !== "string") return null;
  const tokens = metadata.get("tokenizer.ggml.tokens");
  const specialTokens = ["bos", "eos", "unknown", "padding"].flatMap((name) => {
    const id = metadata.get(`tokenizer.ggml.${name}_token_id`);
    const text: unknown = Array.isArray(tokens) && typeof id === "number" ? tokens[id] : undefined;
    const key = { unknown: "unk_token", padding: "pad_token" }[name] ?? `${name}_token`;
    return typeof text === "string" ? [[key, text] as const] : [];
  });
  return { template, specialTokens: Object.fromEntries(specialTokens) };
}
