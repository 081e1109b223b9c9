import { afterEach, expect, it } from "vitest";
import { json } from "../fault-server.ts";
import { type Asked, clientOf, collect, crowdServer, makeCloser, requestsOf } from "./crowd-server.ts";

const closing = makeCloser();
afterEach(() => closing.all());

async function setup(options: Parameters<typeof crowdServer>[0] = {}) {
  const server = closing(await crowdServer(options));
  return { server, client: closing(clientOf(server)) };
}

it("answers come back to their requests, in order, with shares of the usage", async () => {
  const { client, server } = await setup();
  const requests = requestsOf(2500);
  const outcomes = await collect(client.completions.sampleMany(requests, { pack: true, ordered: true }));
  expect(server.asked.map(({ prompt }) => prompt.length).sort()).toEqual([1024, 1024, 452]);
  expect(outcomes.map(({ index }) => index)).toEqual(requests.map((_, i) => i));
  outcomes.forEach(({ completion, request }, i) => {
    expect(request).toBe(requests[i]);
    expect(completion?.choices).toMatchObject([{ index: 0, text: `"p${i}" unseeded` }]);
    expect(completion?.usage?.completion_tokens).toBe(3);
  });
  const prompts = outcomes.map(({ completion }) => completion?.usage?.prompt_tokens ?? 0);
  expect(prompts.reduce((a, b) => a + b, 0)).toBe(4 * 2500);
  expect(outcomes[0]).toMatchObject({ packed: { requests: 1024, usage: "exact" } });
});

it("with a base of seeds the choices of one prompt are packed, and sample as if sent alone", async () => {
  const { client, server } = await setup();
  const requests = [..."aaaabbc"].map((prompt) => ({ model: "llama-8b", prompt, max_tokens: 3 }));
  const texts = async (pack: boolean) =>
    (await collect(client.completions.sampleMany(requests, { pack, seed: 40, ordered: true }))).map(
      ({ completion }) => completion?.choices[0]?.text,
    );
  const packed = await texts(true);
  expect(server.asked.map(({ prompt, n, seed }) => [prompt, n, seed])).toEqual([
    ["a", 4, 40],
    ["b", 2, 44],
    ["c", undefined, 46],
  ]);
  expect(packed).toEqual(await texts(false));
});

it("a pack that is refused is asked for one by one, so that only the request at fault fails", async () => {
  const holds = ({ prompt }: Asked) => [prompt].flat().some((one) => one === "p7");
  const { client, server } = await setup({
    misbehave: (asked, response) => {
      if (!holds(asked)) return false;
      json(response, 400, { error: { message: "prompt too long", code: "context_length_exceeded" } });
      return true;
    },
  });
  const outcomes = await collect(client.completions.sampleMany(requestsOf(20), { pack: 10, ordered: true }));
  expect(outcomes.map(({ index }) => index)).toEqual(requestsOf(20).map((_, i) => i));
  expect(outcomes.filter(({ error }) => error !== undefined).map(({ index }) => index)).toEqual([7]);
  expect(server.asked).toHaveLength(12);
});

it("a pack that fails otherwise fails as a whole, and none is sent when the budget is spent", async () => {
  const { client, server } = await setup({
    misbehave: (_, response, nth) => {
      const [status, code] = nth === 0 ? [500, "internal_error"] : [429, "budget_exceeded"];
      json(response, status, { error: { message: "no", code } });
      return true;
    },
  });
  const run = client.completions.sampleMany(requestsOf(50), { pack: 10, ordered: true, concurrency: 1 });
  const codes = (await collect(run)).map(({ error }) => error?.code);
  expect(codes.slice(0, 10)).toEqual(Array(10).fill("internal_error"));
  expect(codes.slice(10, 20)).toEqual(Array(10).fill("budget_exceeded"));
  expect(codes.slice(20)).toEqual(Array(30).fill("not_sent"));
  expect(server.asked).toHaveLength(2);
});

it("an invalid request does not spoil the pack around it", async () => {
  const { client, server } = await setup();
  const requests = requestsOf(6);
  requests[2] = { ...requests[2]!, max_tokens: 0 };
  const outcomes = await collect(client.completions.sampleMany(requests, { pack: true, ordered: true }));
  expect(outcomes.map(({ error }) => error?.code)).toEqual([
    ...[undefined, undefined, "invalid_request"],
    ...[undefined, undefined, undefined],
  ]);
  expect(server.asked.map(({ prompt }) => prompt)).toEqual([["p0", "p1", "p3", "p4", "p5"]]);
});

it("in order, an open pack behind many outcomes that need no sending does not hold up the run", async () => {
  const { client } = await setup();
  const requests = requestsOf(40);
  for (let i = 1; i < 40; i++) requests[i] = { ...requests[i]!, max_tokens: 0 };
  const run = client.completions.sampleMany(requests, {
    pack: true,
    ordered: true,
    concurrency: 1,
    window: 4,
  });
  expect((await collect(run)).map(({ index }) => index)).toEqual(requests.map((_, i) => i));
});
