import type { ChatEncoder } from "./chat-encoder.ts";
import { ChatError } from "./chat-error.ts";
import type { ChatMessage } from "./chat-message.ts";

/** Characters of a rendered conversation (UTF-16 units); `end` is not included. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** A text that no conversation here holds. */
export function makeMark(text: string): string {
  let mark = "QqContentZz";
  for (let i = 0; text.includes(mark); i++) mark = `QqContent${i}Zz`;
  return mark;
}

/**
 * Where the template wrote each message's content in `text`, its rendering. Each content is put in place of by a mark in a rendering
 * of its own, so the same words elsewhere are not taken for it. Throws ChatError `template_rewrites`.
 */
export function locateContents(
  { render }: Pick<ChatEncoder, "render">,
  messages: readonly ChatMessage[],
  text: string,
): Promise<TextRange[]> {
  const mark = makeMark(text + messages.map(({ content }) => content).join());
  return Promise.all(
    messages.map(async (message, k) => {
      const marked = await render(messages.with(k, { ...message, content: mark }), {
        add_generation_prompt: false,
      });
      return placeOf(message, { marked, mark, text, k });
    }),
  );
}

interface Marked {
  marked: string;
  mark: string;
  text: string;
  k: number;
}

function placeOf({ role, content }: ChatMessage, { marked, mark, text, k }: Marked): TextRange {
  const [before, after, ...more] = marked.split(mark);
  const start = before?.length ?? 0;
  const end = text.length - (after?.length ?? 0);
  const once = before !== undefined && after !== undefined && more.length === 0;
  const same = once && end >= start && text.startsWith(before) && text.endsWith(after);
  const written = same ? text.slice(start, end) : undefined;
  // Templates trim, and tokenizers may compose characters.
  const forms = [content, content.trim()].flatMap((form) => [form, form.normalize("NFC")]);
  if (written !== undefined && forms.includes(written)) return { start, end };
  const problem =
    after === undefined
      ? "leaves its content out"
      : more.length > 0
        ? `writes its content ${more.length + 1} times`
        : written === undefined
          ? "writes other text around it, depending on its content"
          : `writes ${shortened(written)} in place of ${shortened(content)}`;
  throw new ChatError(
    "template_rewrites",
    `messages[${k}] (${role}): the chat template ${problem}, so which tokens are its own cannot be told. Give the message as the template writes it, ` +
      "such as an earlier answer without its reasoning",
    { message: k },
  );
}

function shortened(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}
