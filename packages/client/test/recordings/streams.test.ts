import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { APIError, type Client, createClient, StreamInterrupted } from "../../src/index.ts";
import { EventParser } from "../../src/streams/event-parser.ts";
import { type FaultServer, faultServer } from "../fault-server.ts";
import { type Exchange, exchangeOf, exchanges, isStream, replay, sameShape } from "./exchanges.ts";

let server: FaultServer;
let client: Client;
let current: { exchange: Exchange; piece: number };
beforeAll(async () => {
  server = await faultServer((_, response) => replay(response, current.exchange, current.piece));
  client = createClient({ baseURL: server.url, apiKey: "" });
});
afterAll(async () => {
  await client.close();
  await server.close();
});

const open = (exchange: Exchange, piece = 0) => {
  current = { exchange, piece };
  return client.completions.create({ ...sameShape(exchange), stream: true });
};

async function readAll<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const one of stream) all.push(one);
  return all;
}

/** The events of a recorded stream, read as simply as can be: vLLM writes each on one line. */
const eventsOf = ({ answer }: Exchange): string[] =>
  answer!
    .split("\n\n")
    .filter((event) => event !== "")
    .map((event) => event.replace(/^data: /, ""));

interface Sent {
  choices: {
    index: number;
    text: string;
    token_ids?: number[] | null;
    finish_reason: string | null;
    logprobs?: { tokens: string[]; token_logprobs: (number | null)[] } | null;
  }[];
  usage?: object | null;
}

const sse = exchanges.filter(isStream);
const streams = sse.filter(({ path }) => path === "/v1/completions");
const broken = streams.filter(({ answer }) => answer!.startsWith('data: {"error"'));
const whole = streams.filter((one) => !broken.includes(one));

it("are there, whole ones and broken ones", () => {
  expect([whole.length, broken.length, sse.length - streams.length]).toEqual([12, 2, 7]);
  expect(eventsOf(exchangeOf("main/stream_plain")).at(-1)).toBe("[DONE]");
});

describe.each(whole)("$name", (exchange) => {
  const sent = eventsOf(exchange)
    .slice(0, -1)
    .map((event) => JSON.parse(event) as Sent);
  const partsOf = (index: number) =>
    sent.flatMap(({ choices }) => choices).filter((one) => one.index === index);
  const indices = [...new Set(sent.flatMap(({ choices }) => choices.map(({ index }) => index)))];

  it.each([0, 1, 7, 1000])("gives every chunk as it came, in pieces of %i bytes", async (piece) => {
    expect(await readAll(await open(exchange, piece))).toEqual(sent);
  });

  it("is collected: text, token ids, log probabilities, endings and usage", async () => {
    const stream = await open(exchange, 100);
    const { choices, usage } = await stream.finalCompletion();
    expect(choices.map(({ index }) => index)).toEqual([...indices].sort());
    for (const choice of choices) {
      const parts = partsOf(choice.index);
      const text = parts.map((part) => part.text).join("");
      expect(choice.text).toBe(text);
      expect(stream.textOf(choice.index)).toBe(text);
      expect(choice.finish_reason).toBe(parts.at(-1)?.finish_reason);
      if (parts.some(({ token_ids: ids }) => ids)) {
        expect(choice.token_ids).toEqual(parts.flatMap(({ token_ids: ids }) => ids ?? []));
      }
      if (parts.some(({ logprobs }) => logprobs)) {
        expect(choice.logprobs).toMatchObject({
          tokens: parts.flatMap(({ logprobs }) => logprobs?.tokens ?? []),
          token_logprobs: parts.flatMap(({ logprobs }) => logprobs?.token_logprobs ?? []),
        });
      }
    }
    expect(usage ?? undefined).toEqual(sent.findLast((chunk) => chunk.usage)?.usage ?? undefined);
  });

  it("is interrupted where its end is missing, and keeps what came", async () => {
    const cut = { ...exchange, answer: exchange.answer!.replace("data: [DONE]\n\n", "") };
    const stream = await open(cut);
    const failure = await readAll(stream).catch((e: unknown) => e);
    expect(failure).toBeInstanceOf(StreamInterrupted);
    for (const index of indices) {
      const text = partsOf(index).map((part) => part.text);
      expect((failure as StreamInterrupted).textOf(index)).toBe(text.join(""));
    }
  });
});

describe("chat streams, whose chunks are no completion's", () => {
  it.each(sse.filter(({ path }) => path !== "/v1/completions"))(
    "are read event by event, wherever they are cut: $name",
    ({ answer }) => {
      const bytes = new TextEncoder().encode(answer!);
      const expected = answer!
        .split("\n\n")
        .filter((event) => event !== "")
        .map((event) => event.replace(/^data: /, ""));
      for (let at = 0; at <= bytes.length; at += 1 + Math.floor(bytes.length / 400)) {
        const parser = new EventParser(2 ** 24);
        parser.push(bytes.subarray(0, at));
        parser.push(bytes.subarray(at));
        expect(parser.take().map(({ data }) => data)).toEqual(expected);
      }
    },
  );
});

describe.each(broken)("$name", (exchange) => {
  it("is the server's error, as of an answer of one piece", async () => {
    const { error } = JSON.parse(eventsOf(exchange)[0]!) as {
      error: { message: string; type: string; code: number };
    };
    const stream = await open(exchange);
    const failure = await readAll(stream).catch((e: unknown) => e);
    expect(failure).toBeInstanceOf(APIError);
    expect(failure).toMatchObject({ status: error.code, type: error.type });
    expect((failure as Error).message).toContain(error.message);
  });
});
