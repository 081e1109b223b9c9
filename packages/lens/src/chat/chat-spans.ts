import { Buffer } from "node:buffer";
import type { ChatMessage } from "./chat-message.ts";
import type { ChatSpan } from "./encoded-chat.ts";
import type { TextRange } from "./locate-contents.ts";

export interface ChatPlaces {
  messages: readonly ChatMessage[];
  text: string;
  /** Where each token ends in the UTF-8 of the text. */
  ends: readonly number[];
  contents: readonly TextRange[];
  /** Where each turn begins, and where the last one ends. */
  turns: readonly number[];
}

/** The tokens of each part of each message, and of the header of the answer where the text goes on behind the last turn. */
export function chatSpans({ messages, text, ends, contents, turns }: ChatPlaces): ChatSpan[] {
  const byteAt = (place: number): number => Buffer.byteLength(text.slice(0, place));
  /** The first token that ends behind the place, and the first that begins there or behind. */
  const holding = (place: number): number => count(ends, (end) => end <= byteAt(place));
  const behind = (place: number): number => count(ends, (_, i) => (ends[i - 1] ?? 0) < byteAt(place));
  const last = turns.at(-1) ?? 0;
  const spans = messages.flatMap(({ role }, message): ChatSpan[] => {
    const content = contents[message] as TextRange;
    const from = content.start < content.end ? holding(content.start) : behind(content.start);
    const to = Math.max(from, behind(content.end));
    const start = message === 0 ? behind(turns[0] ?? 0) : holding(turns[message] ?? 0);
    const next = Math.max(to, holding(turns[message + 1] ?? 0));
    return [
      { message, role, part: "header", start: Math.min(start, from), end: from },
      { message, role, part: "content", start: from, end: to },
      { message, role, part: "end", start: to, end: next },
    ];
  });
  if (last < text.length) {
    const start = Math.max(holding(last), spans.at(-1)?.end ?? 0);
    spans.push({ message: messages.length, role: "assistant", part: "header", start, end: ends.length });
  }
  return spans;
}

/** How many leading items pass; the passing ones all stand before the others. */
function count<T>(list: readonly T[], passes: (item: T, i: number) => boolean): number {
  const first = list.findIndex((item, i) => !passes(item, i));
  return first < 0 ? list.length : first;
}
