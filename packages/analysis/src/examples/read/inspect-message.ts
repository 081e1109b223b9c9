import type { ChatMessage } from "@residua/lens";
import { type Cell, isList, isObject } from "./source-table.ts";

/**
 * A message of an Inspect log for a chat template: role, content, and where there are any `reasoning_content`, `tool_calls` and
 * `tool_call_id`; its id, source and model stay in the log. Several texts of one message are joined by line ends. What is wrong with a
 * message that has pictures or the like is returned as a text.
 */
export function inspectMessage(cell: Cell): ChatMessage | string {
  if (!isObject(cell)) return "a message { role, content }";
  const { role, content, tool_calls: calls, tool_call_id: callId } = cell;
  if (typeof role !== "string") return "a message with a role";
  const parts: Cell = typeof content === "string" ? [{ type: "text", text: content }] : (content ?? []);
  if (!isList(parts)) return "a message whose content is a text or a list";
  const texts: string[] = [];
  const reasoning: string[] = [];
  for (const part of parts) {
    if (!isObject(part)) return "content of texts and reasoning";
    if (part["type"] === "text" && typeof part["text"] === "string") texts.push(part["text"]);
    else if (part["type"] === "reasoning" && typeof part["reasoning"] === "string")
      reasoning.push(part["reasoning"]);
    else return `content of texts and reasoning, not ${JSON.stringify(part["type"])}`;
  }
  return {
    role,
    content: texts.join("\n"),
    ...(reasoning.length > 0 && { reasoning_content: reasoning.join("\n") }),
    ...(isList(calls) && calls.length > 0 && { tool_calls: calls }),
    ...(typeof callId === "string" && { tool_call_id: callId }),
  };
}
