import { type ChatTemplate, type ChatValues, EngineRequestError, renderChat } from "@residua/engine";
import type { ServedModel } from "@residua/engine/api";
import type { Conversation } from "./request-schema.ts";
import { badRequest } from "./vllm-error.ts";

interface Message {
  readonly role: string;
  readonly content: string;
  readonly [name: string]: unknown;
}

/** The text that the model's chat template makes of a conversation. Throws ApiError 400. */
export function chatPrompt(request: Conversation, { model }: ServedModel): string {
  const { chatTemplate } = model;
  const generation = request.add_generation_prompt ?? true;
  const goOn = request.continue_final_message ?? false;
  if (generation && goOn)
    throw badRequest("Cannot set both `continue_final_message` and `add_generation_prompt` to True.");
  if (chatTemplate === null) {
    throw badRequest(
      "As of transformers v4.44, default chat template is no longer allowed, so you must provide a chat template if the tokenizer does not define one.",
    );
  }
  const messages = request.messages.map(readMessage);
  if (messages.length === 0) {
    throw badRequest("Cannot apply chat template to an empty conversation. Provide at least one message.");
  }
  const text = render(chatTemplate, {
    ...request.chat_template_kwargs,
    messages,
    add_generation_prompt: generation,
  });
  return goOn ? cutAfter(text, messages.at(-1)!.content) : text;
}

function readMessage({ content, ...message }: Conversation["messages"][number], index: number): Message {
  if (Array.isArray(message["tool_calls"]) && message["tool_calls"].length > 0)
    throw badRequest(`messages[${index}].tool_calls: tools are not supported by this server`, "messages");
  const parts = typeof content === "string" ? [{ type: "text", text: content }] : (content ?? []);
  const texts = parts.map((part) => {
    if (part.type === "text" && typeof part.text === "string") return part.text;
    throw badRequest(
      `messages[${index}].content: a part of type ${JSON.stringify(part.type.slice(0, 100))} is not supported by this server; give text`,
      "messages",
    );
  });
  return { ...message, content: texts.join("\n") };
}

function render(chatTemplate: ChatTemplate, values: ChatValues): string {
  try {
    return renderChat(chatTemplate, values);
  } catch (error) {
    if (!(error instanceof EngineRequestError)) throw error;
    throw badRequest(`messages: ${error.message}`, "messages");
  }
}

/** The text up to the end of the last message, so that the model goes on with it. As transformers does it. */
function cutAfter(text: string, message: string): string {
  const core = message.trim();
  const at = text.lastIndexOf(core);
  if (at < 0) {
    throw badRequest(
      "continue_final_message: the model's chat template changes the text of the last message, so it cannot be continued",
      "continue_final_message",
    );
  }
  const kept = message.trimStart();
  return text.slice(0, at + (text.startsWith(kept, at) ? kept : core).length);
}
