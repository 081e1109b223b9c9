import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { APIError, type Client, createClient } from "../../src/index.ts";
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

interface Chunk {
  choices: { index: number; text: string; token_ids?: number[] | null; finish_reason: string | null }[];
  usage?: object | null;
}

const streams = exchanges.filter((one) => one.path === "/v1/completions" && isStream(one));
const whole = streams.filter(
  (one) => !one.answer!.includes(`{"error"`) && !one.answer!.includes(`{"error":`),
);
const broken = streams.filter((one) => !whole.includes(one));

it("are there, whole ones and broken ones", () => {
  expect([whole.length > 10, broken.length]).toEqual([true, 2]);
  expect(eventsOf(exchangeOf("main/stream_plain")).at(-1)).toBe("[DONE]");
});

describe.each(whole)("$name", (exchange) => {
  const events = eventsOf(exchange);
  const sent = events.slice(0, -1).map((event) => JSON.parse(event) as Chunk);

  it.each([0, 1, 7, 1000])("gives every chunk as it came, in pieces of %i bytes", async (piece) => {
    expect(await readAll(await open(exchange, piece))).toEqual(sent);
  });
});

describe.each(broken)("$name", (exchange) => {
  it("is the server's error, as of an answer of one piece", async () => {
    const { error } = JSON.parse(eventsOf(exchange)[0]!) as {
      error: { message: string; type: string; code: number };
    };
    const stream = await open(exchange);
    const failure = await readAll(stream).catch((e: unknown) => e);
    expect(failure).toBeInstanceOf(APIError);
    expect(failure).toMatchObject({ status: 200, type: error.type });
    expect((failure as Error).message).toContain(error.message);
  });
});
