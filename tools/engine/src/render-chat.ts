import { Template } from "@huggingface/jinja";
import type { ChatTemplate } from "./chat-template.ts";
import { EngineRequestError } from "./engine-error.ts";

/** What a chat template writes by: one turn of the conversation, with whatever else the template reads of it. */
interface Message {
  readonly role: string;
  readonly content: string;
  readonly [name: string]: unknown;
}

export interface ChatValues {
  readonly messages: readonly Message[];
  /** Whether the header of an answer follows. */
  readonly add_generation_prompt: boolean;
  /** What else the template may name. */
  readonly [name: string]: unknown;
}

const parsed = new WeakMap<ChatTemplate, Template>();

/**
 * The text that a chat template makes of a conversation. Throws EngineRequestError: a template may refuse one, such as one
 * whose roles do not take turns.
 */
export function renderChat(chatTemplate: ChatTemplate, values: ChatValues): string {
  try {
    const template = parsed.get(chatTemplate) ?? new Template(chatTemplate.template);
    parsed.set(chatTemplate, template);
    return template.render({ ...chatTemplate.specialTokens, ...values });
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : "it failed";
    const message = `the model's chat template cannot write this: ${problem.slice(0, 500)}`;
    throw new EngineRequestError("invalid_request", message, { field: "messages" }, { cause });
  }
}
