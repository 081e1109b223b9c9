import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { APIAbortError, APIError, type CompletionRequest, InvalidRequestError } from "../../src/index.ts";
import { caught, setup } from "../client-support.ts";
import { json, type Script } from "../fault-server.ts";

const request = { model: "llama-8b", prompt: ["The sky is", "The grass is"], max_tokens: 2, temperature: 0 };

/** Two choices; the second one's next token is a near-tie that every third answer decides otherwise. */
const nearTie: Script = (_, response, nth) => {
  const other = nth % 3 === 2;
  const choice = (index: number, tokens: string[], own: number[], lead: number) => ({
    index,
    text: tokens.join(""),
    finish_reason: "length",
    logprobs: {
      tokens,
      token_logprobs: own,
      top_logprobs: tokens.map((token, i) => ({ [token]: own[i], next: own[i]! - lead })),
    },
  });
  json(response, 200, {
    id: `cmpl-${nth}`,
    model: "m",
    system_fingerprint: other ? "b" : "a",
    choices: [
      choice(0, [" blue", "."], [-0.5 - nth / 1024, -1], 2),
      choice(1, [" green", other ? "!" : "."], [-0.25, -0.75], 0.0078125),
    ],
  });
};

describe("repeat", () => {
  it("sends the same request so many times, with two log probabilities, and says what was the same", async () => {
    const { client, server } = await setup(nearTie, { onWarning: () => undefined });
    const report = await client.completions.repeat(request, { times: 6, concurrency: 1 });
    expect(server.seen).toHaveLength(6);
    for (const { body } of server.seen) expect(JSON.parse(body)).toEqual({ ...request, logprobs: 2 });
    expect(report.completions.map(({ id }) => id)).toEqual([0, 1, 2, 3, 4, 5].map((n) => `cmpl-${n}`));
    expect(report).toMatchObject({ agree: false, noise: 5 / 1024, fingerprints: ["a", "b"] });
    const [sky, grass] = report.choices;
    expect(sky).toMatchObject({
      texts: [{ text: " blue.", count: 6 }],
      divergence: undefined,
      noise: 5 / 1024,
    });
    expect(sky?.positions[0]).toMatchObject({ token: " blue", margin: 2 });
    expect(sky?.positions[0]?.logprob).toMatchObject({ count: 6, max: -0.5, min: -0.5 - 5 / 1024 });
    expect(grass?.divergence).toEqual({
      position: 1,
      tokens: [
        { token: ".", count: 4 },
        { token: "!", count: 2 },
      ],
      margin: 0.0078125,
    });
    expect(report.note).toContain("Read a small difference as no difference");
  });

  it("leaves the caller's own logprobs, and keeps to the concurrency", async () => {
    let now = 0;
    let most = 0;
    const { client, server } = await setup(async (seen, response, nth) => {
      most = Math.max(most, ++now);
      await setTimeout(5);
      now--;
      return nearTie(seen, response, nth * 3);
    });
    const seeded = { ...request, temperature: 1, seed: 7, logprobs: 0 };
    const report = await client.completions.repeat(seeded, { times: 7, concurrency: 3 });
    expect(JSON.parse(server.seen[0]!.body)).toEqual(seeded);
    expect(most).toBe(3);
    expect(report.completions).toHaveLength(7);
    expect(report.agree).toBe(true);
  });

  it.each<[string, object, object]>([
    ["seed", { temperature: 1 }, {}],
    ["seed", { temperature: undefined }, {}],
    ["stream", { stream: true }, {}],
    ["times", {}, { times: 1 }],
    ["concurrency", {}, { concurrency: 0 }],
    ["times", {}, { times: 2.5 }],
  ])("refuses %s: %j %j", async (field, fields, options) => {
    const { client, server } = await setup(nearTie);
    const bad = { ...request, ...fields } as CompletionRequest & { stream?: false };
    const error = await caught(client.completions.repeat(bad, options));
    expect(error).toBeInstanceOf(InvalidRequestError);
    expect(error).toMatchObject({ issues: [{ field }] });
    expect(server.seen).toHaveLength(0);
  });

  it("ends with the first failure, and ends the others with it", async () => {
    const { client, server } = await setup((_, response, nth) => {
      if (nth === 2) json(response, 400, { error: { message: "no", type: "x", code: "invalid_request" } });
    });
    const error = await caught(client.completions.repeat(request, { times: 9, concurrency: 3 }));
    expect(error).toBeInstanceOf(APIError);
    await expect.poll(() => [0, 1].filter((socket) => server.open().has(socket))).toEqual([]);
    expect(server.seen).toHaveLength(3);
  });

  it("ends with its signal", async () => {
    const { client, server } = await setup(() => undefined);
    const controller = new AbortController();
    const pending = caught(client.completions.repeat(request, { signal: controller.signal }));
    await expect.poll(() => server.seen.length).toBe(4);
    controller.abort();
    expect(await pending).toBeInstanceOf(APIAbortError);
    const aborted = AbortSignal.abort();
    expect(await caught(client.completions.repeat(request, { signal: aborted }))).toBeInstanceOf(
      APIAbortError,
    );
    expect(server.seen).toHaveLength(4);
  });
});
