import { expect } from "vitest";
import type { Choice, Running } from "./support.ts";

export interface Chunk {
  id: string;
  object: string;
  created: number;
  model: string;
  choices: Pick<Choice, "index" | "text" | "logprobs" | "finish_reason">[];
  usage?: object;
  error?: { message: string; type: string; code: string };
}

/** The frames of a stream as they come: the text of a `data:` event, or a comment with its colon. */
export async function* frames(response: Response): AsyncGenerator<string, undefined> {
  let rest = "";
  const text = response.body!.pipeThrough(new TextDecoderStream());
  for await (const part of text as unknown as AsyncIterable<string>) {
    const pieces = (rest + part).split("\n\n");
    rest = pieces.pop()!;
    for (const piece of pieces) {
      if (!piece.startsWith(":")) expect(piece).toMatch(/^data: .+$/);
      yield piece.replace(/^data: /, "");
    }
  }
  expect(rest).toBe("");
}

export function openStream(running: Running, body: object, init: RequestInit = {}): Promise<Response> {
  return fetch(`${running.server.url}/completions`, {
    method: "POST",
    body: JSON.stringify({ model: "tiny", stream: true, ...body }),
    ...init,
  });
}

/** All chunks of a stream, which must end in [DONE]; comments are left out. */
export async function streamed(running: Running, body: object): Promise<Chunk[]> {
  const response = await openStream(running, body);
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toMatch(/^text\/event-stream\b/);
  const events: string[] = [];
  for await (const frame of frames(response)) if (!frame.startsWith(":")) events.push(frame);
  expect(events.pop()).toBe("[DONE]");
  return events.map((event) => JSON.parse(event) as Chunk);
}

/** What a stream says of one choice, its chunks joined. */
export function joined(chunks: readonly Chunk[], index: number) {
  const own = chunks.flatMap(({ choices }) => choices).filter((choice) => choice.index === index);
  const parts = own.flatMap(({ logprobs }) => logprobs ?? []);
  return {
    text: own.map(({ text }) => text).join(""),
    finishReasons: own.map(({ finish_reason }) => finish_reason),
    logprobs: own.every(({ logprobs }) => logprobs === null)
      ? null
      : {
          text_offset: parts.flatMap(({ text_offset }) => text_offset),
          tokens: parts.flatMap(({ tokens }) => tokens),
          token_logprobs: parts.flatMap(({ token_logprobs }) => token_logprobs),
          top_logprobs: parts.flatMap(({ top_logprobs }) => top_logprobs),
        },
  };
}
