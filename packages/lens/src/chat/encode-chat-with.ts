import { Buffer } from "node:buffer";
import { bosTexts } from "../tokens/double-bos.ts";
import type { ChatEncoder, EncodedText } from "./chat-encoder.ts";
import { ChatError } from "./chat-error.ts";
import { chatSpans } from "./chat-spans.ts";
import { checkEncodeChat, type EncodeChatRequest } from "./encode-chat-request.ts";
import type { EncodedChat } from "./encoded-chat.ts";
import { findTurns } from "./find-turns.ts";
import { locateContents } from "./locate-contents.ts";
import { tokenEnds } from "./token-bytes.ts";
import { tryRender } from "./try-render.ts";

/**
 * Writes a conversation by a chat template and says which tokens are whose. What each span rests on is checked against the
 * template, not assumed of it: each content is found by a rendering with a mark in its place, each turn by a rendering of those
 * before it. Throws ChatError, and `invalid_option`.
 */
export async function encodeChatWith(
  encoder: ChatEncoder,
  request: EncodeChatRequest,
): Promise<Omit<EncodedChat, "template">> {
  checkEncodeChat(request);
  const { messages, add_generation_prompt = messages.at(-1)?.role !== "assistant" } = request;
  const [closed, opened] = await Promise.all([
    encoder.render(messages, { add_generation_prompt: false }),
    // Some templates refuse to go on after an answer.
    add_generation_prompt
      ? encoder.render(messages, { add_generation_prompt })
      : tryRender(encoder, messages, { add_generation_prompt: true }),
  ]);
  const text = add_generation_prompt ? (opened ?? "") : closed;
  const encoded = await encoder.encode(text);
  const { ids, names } = encoded;
  const first = names[0] ?? "";
  const isBos = ids[0] !== undefined && (ids[0] === encoder.bos || bosTexts.has(first));
  refuseDoubleBos(ids, isBos);
  const ends = endsOf(encoded, text);
  const contents = await locateContents(encoder, messages, closed);
  const tail = opened === undefined ? "" : await tailOf(encoder, closed, opened);
  const end = contents.at(-1)?.end ?? 0;
  if (closed.length - tail.length < end) {
    throw new ChatError(
      "turn_not_found",
      "where the last message ends cannot be told: the chat template writes it otherwise when the header of an answer follows",
    );
  }
  const bos = isBos && text.startsWith(first) ? first : "";
  const turns = await findTurns(encoder, { messages, text: closed, contents, tail, bos });
  if (!add_generation_prompt) turns[messages.length] = text.length;
  return { tokenIds: [...ids], spans: chatSpans({ messages, text, ends, contents, turns }), text };
}

function endsOf({ ids, names }: EncodedText, text: string): readonly number[] {
  const ends = tokenEnds(names, text);
  if (ends !== undefined && ids.length === ends.length) return ends;
  throw new ChatError(
    "tokens_unspelt",
    "the tokens of the conversation do not spell the text that the chat template wrote, so which are whose cannot be told; the tokenizer may compose characters (give the messages in NFC)",
  );
}

/**
 * What the template writes at the end of a conversation alone, such as an end of text. Up to whole tokens: two special tokens may
 * begin with the same characters.
 */
async function tailOf(encoder: ChatEncoder, closed: string, opened: string): Promise<string> {
  if (opened.startsWith(closed)) return "";
  const ends = endsOf(await encoder.encode(opened), opened);
  let same = 0;
  while (same < closed.length && closed[same] === opened[same]) same++;
  const bytes = Buffer.byteLength(opened.slice(0, same));
  const whole = ends.findLast((end) => end <= bytes) ?? 0;
  return Buffer.from(closed).subarray(whole).toString();
}

function refuseDoubleBos([first, second]: readonly number[], isBos: boolean): void {
  if (!isBos || first !== second) return;
  throw new ChatError(
    "template_bos_doubled",
    "the conversation begins with the BOS token twice, which moves every position by one: the template writes it, so take it out of the first message, and encode without added special tokens",
  );
}
