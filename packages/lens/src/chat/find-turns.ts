import type { ChatEncoder } from "./chat-encoder.ts";
import { ChatError } from "./chat-error.ts";
import type { ChatMessage } from "./chat-message.ts";
import { makeMark, type TextRange } from "./locate-contents.ts";
import { tryRender } from "./try-render.ts";

export interface TurnSearch {
  messages: readonly ChatMessage[];
  /** The rendering without a header for an answer, and where each content is in it. */
  text: string;
  contents: readonly TextRange[];
  /** What the template writes at the end of a conversation and not between turns. */
  tail: string;
  /** The BOS text that the rendering begins with, or "". */
  bos: string;
}

/**
 * Where each message's turn begins in the text, and last where the last one ends. A turn begins where the rendering of the messages before it
 * ends; where that is no beginning of the text, where the same header begins that other turns of the role have. Throws ChatError
 * `turn_not_found`.
 */
export async function findTurns(encoder: Pick<ChatEncoder, "render">, search: TurnSearch): Promise<number[]> {
  const { messages, text, tail, contents } = search;
  const inner = await Promise.all(
    messages.slice(1).map(async (_, i) => {
      const end = withoutTail(await tryRender(encoder, messages.slice(0, i + 1)), tail);
      return end !== undefined && text.startsWith(end) && isBetween(end.length, search, i + 1)
        ? end.length
        : undefined;
    }),
  );
  const starts = [undefined, ...inner];
  const headers = new Map<string, string>();
  starts.forEach((start, k) => {
    const content = contents[k];
    if (start !== undefined && content !== undefined)
      headers.set((messages[k] as ChatMessage).role, text.slice(start, content.start));
  });
  const first = await firstTurn(encoder, search, headers);
  const { role } = messages[0] as ChatMessage;
  if (!headers.has(role)) headers.set(role, text.slice(first, contents[0]?.start));
  const found = starts.map((start, k) => (k === 0 ? first : (start ?? byHeader(k, search, headers))));
  return [...found, text.length - tail.length];
}

function withoutTail(text: string | undefined, tail: string): string | undefined {
  return text?.endsWith(tail) ? text.slice(0, text.length - tail.length) : undefined;
}

/** Whether the place is after the content of the message before and not after that of message k. */
function isBetween(place: number, { contents }: TurnSearch, k: number): boolean {
  return place >= (contents[k - 1]?.end ?? 0) && place <= (contents[k]?.start ?? Infinity);
}

function byHeader(k: number, search: TurnSearch, headers: ReadonlyMap<string, string>): number {
  const { role } = search.messages[k] as ChatMessage;
  const start = search.contents[k]?.start ?? 0;
  const header = headers.get(role);
  const from = start - (header?.length ?? 0);
  if (header && search.text.slice(0, start).endsWith(header) && isBetween(from, search, k)) return from;
  throw new ChatError(
    "turn_not_found",
    `messages[${k}] (${role}): where its turn begins cannot be told: the chat template writes the messages before it otherwise when it follows ` +
      "(it may put a system text into a user's turn, or change earlier answers)",
    { message: k },
  );
}

/**
 * Where the first turn begins: behind a BOS, and behind a system text that the template writes by itself. A later turn of the
 * same role shows what its header is.
 */
async function firstTurn(
  encoder: Pick<ChatEncoder, "render">,
  { messages, text, tail, contents, bos }: TurnSearch,
  headers: ReadonlyMap<string, string>,
): Promise<number> {
  const [first] = messages as readonly [ChatMessage];
  const before = text.slice(0, contents[0]?.start);
  const header = headers.get(first.role) ?? (await laterHeader(encoder, first, tail));
  return header && before.endsWith(header) ? before.length - header.length : bos.length;
}

async function laterHeader(
  encoder: Pick<ChatEncoder, "render">,
  first: ChatMessage,
  tail: string,
): Promise<string | undefined> {
  const mark = makeMark(first.content);
  const other = { role: first.role === "user" ? "assistant" : "user", content: "ok" };
  for (const earlier of [[first, other], [first]]) {
    const start = withoutTail(await tryRender(encoder, earlier), tail);
    const marked = await tryRender(encoder, [...earlier, { ...first, content: mark }]);
    if (start !== undefined && marked?.startsWith(start) && marked.includes(mark))
      return marked.slice(start.length, marked.indexOf(mark));
  }
  return undefined;
}
