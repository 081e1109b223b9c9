import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Client, createClient, InvalidRequestError } from "../../src/index.ts";
import { type FaultServer, faultServer } from "../fault-server.ts";
import { type Exchange, exchangeOf, exchanges, isStream, replay } from "./exchanges.ts";
import { leftToTheServer, refusedField, refusedHere, silentBoth } from "./request-differences.ts";

let server: FaultServer;
let client: Client<"vllm">;
let current: Exchange;
beforeAll(async () => {
  server = await faultServer(({ path, body }, response) => replay(response, answerTo(path, body)));
  client = createClient({ baseURL: server.url, apiKey: "", profile: "vllm" });
});
afterAll(async () => {
  await client.close();
  await server.close();
});

/** What the server says of itself, and of token ids where it was not asked for that; else the recorded answer. */
function answerTo(path: string, body: string): Exchange {
  if (path === "/v1/models") return exchangeOf("more/models");
  if (path !== "/detokenize" || current.path === "/detokenize") return current;
  const { tokens } = JSON.parse(body) as { tokens: number[] };
  // Seen at the last id and at the one after it.
  return exchangeOf(Math.max(...tokens) < 49152 ? "more/detokenize_last_id" : "more/detokenize_beyond");
}

/** Sends a recorded request by the method of its route. */
async function ask({ path, body }: Exchange): Promise<unknown> {
  const request = body as never;
  if (path === "/tokenize") return client.tokenize(request);
  if (path === "/detokenize") return client.detokenize(request);
  const answer: unknown = await client.completions.create(request);
  if ((body as { stream?: boolean } | null)?.stream === true)
    for await (const _ of answer as AsyncIterable<unknown>);
  return answer;
}

/** What of a recorded request was sent, and how it ended. */
async function sent(exchange: Exchange) {
  current = exchange;
  const before = server.seen.length;
  const error = await ask(exchange).then(
    () => undefined,
    (e: unknown) => e,
  );
  const bodies = server.seen.slice(before).filter(({ path }) => path === exchange.path);
  return { error, bodies: bodies.map(({ body }) => JSON.parse(body) as unknown) };
}

/** The recorded request without its nulls, which count as left out. */
const asSent = ({ body }: Exchange) =>
  Object.fromEntries(Object.entries(body as object).filter(([, value]) => value !== null));

const asked = exchanges.filter(
  ({ path, body, method }) =>
    method === "POST" &&
    ["/v1/completions", "/tokenize", "/detokenize"].includes(path) &&
    // A body that is no JSON object cannot be asked for by the client's methods.
    typeof body === "object",
);
const isLeft = ({ name }: Exchange) => Object.hasOwn(leftToTheServer, name);
const isRefusedHere = ({ name }: Exchange) => Object.hasOwn(refusedHere, name);
/** Errors inside a stream come under a 200. */
const refusedThere = (one: Exchange) =>
  one.status >= 400 || (isStream(one) && one.answer!.startsWith('data: {"error"'));

describe("what the real server refuses", () => {
  it.each(asked.filter((one) => refusedThere(one) && !isLeft(one)))(
    "is refused here, the same field named: $name",
    async (exchange) => {
      const { error, bodies } = await sent(exchange);
      expect(bodies).toEqual([]);
      expect(error).toBeInstanceOf(InvalidRequestError);
      const fields = (error as InvalidRequestError).issues.map(({ field }) => field);
      expect(fields.map((field) => field.replace(/[[.].*/, ""))).toContain(fieldOf(exchange));
    },
  );

  it.each(asked.filter((one) => refusedThere(one) && isLeft(one)))(
    "is left to it for a reason: $name",
    async (exchange) => {
      const { error, bodies } = await sent(exchange);
      expect(bodies).toEqual([asSent(exchange)]);
      expect(error).not.toBeInstanceOf(InvalidRequestError);
      // A stream's headers had gone out under a 200; the error in it states its own status.
      const status = exchange.status === 200 ? 500 : exchange.status;
      expect(error).toMatchObject({ status });
    },
  );
});

describe("what the real server takes", () => {
  it.each(asked.filter((one) => !refusedThere(one) && !isRefusedHere(one)))(
    "is sent as it is: $name",
    async (exchange) => {
      const { error, bodies } = await sent(exchange);
      expect(error).toBeUndefined();
      expect(bodies).toEqual([asSent(exchange)]);
    },
  );

  it.each(asked.filter((one) => !refusedThere(one) && isRefusedHere(one)))(
    "and gets wrong in silence is refused here: $name",
    async (exchange) => {
      const { error, bodies } = await sent(exchange);
      expect(bodies).toEqual([]);
      expect(error).toBeInstanceOf(InvalidRequestError);
      expect((error as InvalidRequestError).issues.map(({ field }) => field)).toContain(
        refusedHere[exchange.name]!.field,
      );
    },
  );
});

it("the tables name recordings that there are, each in the right one", () => {
  const named = asked.map(({ name }) => name);
  for (const name of [...Object.keys(leftToTheServer), ...Object.keys(refusedField)]) {
    expect(named).toContain(name);
    expect(refusedThere(exchangeOf(name))).toBe(true);
  }
  for (const name of [...Object.keys(refusedHere), ...Object.keys(silentBoth)]) {
    expect(named).toContain(name);
    expect(Object.hasOwn(refusedHere, name) && Object.hasOwn(silentBoth, name)).toBe(false);
    expect(refusedThere(exchangeOf(name))).toBe(false);
  }
});

it("most of what was asked is there: none is left out in silence", () => {
  expect(asked.length).toBeGreaterThan(240);
});

it("a token id that the vocabulary does not have, which ends the real server, is not sent", async () => {
  const { error, bodies } = await sent(exchangeOf("crash/err_token_id_49152"));
  expect(bodies).toEqual([]);
  expect((error as Error).message).toContain("49152");
});

/** The field that the server blames: by `param`, else the table's reading of its words. */
function fieldOf({ name, answer }: Exchange): string {
  const said = /"param": ?"(?:body\.)?(\w+)/.exec(answer!)?.[1];
  return refusedField[name] ?? said ?? "(no field is named)";
}
