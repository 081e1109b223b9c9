import { type ClientWarning, createClient } from "@residua/client";
import { describe, expect, test } from "vitest";
import { serve } from "../support.ts";

const of = (running: ReturnType<typeof serve>, options: Parameters<typeof createClient>[0] = {}) =>
  createClient({ baseURL: running.server.url, apiKey: "", ...options });

describe("what the embedded server says of its model", () => {
  const acs = serve();
  const vllm = serve({ profile: "vllm" });

  test("profile acs: everything from the catalogue, and a status", async () => {
    const client = of(acs);
    const { config } = acs.model;
    const described = await client.describe();
    expect(described).toMatchObject({
      id: "tiny",
      catalogued: true,
      hiddenSize: { value: config.hiddenSize, source: "catalogue" },
      layers: { value: config.layers, source: "catalogue" },
      contextLength: { value: config.contextLength, source: "catalogue" },
      vocabSize: { value: config.vocabSize, source: "catalogue" },
      bosTokenId: { value: config.bosTokenId, source: "catalogue" },
      checkpoint: { value: "residua/tiny", source: "catalogue" },
    });
    expect((await client.models.retrieve("tiny")).capabilities?.max_inflight_per_key).toBe(16);
    expect(await client.models.status("tiny")).toMatchObject({ id: "tiny", warm: true, boot: null });
    await expect(client.models.status("none")).rejects.toMatchObject({
      status: 404,
      code: "model_not_found",
    });
    await client.close();
  });

  test("profile vllm: length and checkpoint from the card, the rest stated by the user; no status", async () => {
    const client = of(vllm, { models: { tiny: { hiddenSize: 64, bosTokenId: 0 } } });
    expect(await client.describe("tiny")).toMatchObject({
      hiddenSize: { value: 64, source: "stated" },
      layers: { value: undefined, source: "unknown" },
      contextLength: { value: vllm.model.config.contextLength, source: "catalogue" },
      bosTokenId: { value: 0, source: "stated" },
      checkpoint: { value: "residua/tiny", source: "catalogue" },
    });
    await expect(client.models.status("tiny")).rejects.toMatchObject({ code: "model_status_not_found" });
    await client.close();
  });
});

describe("another server under the same name", () => {
  const before = serve({ profile: "octoai" });
  const after = serve({ profile: "octoai", checkpoint: "residua/other" });

  test("is told from answers and from streams", async () => {
    const warnings: ClientWarning[] = [];
    let now = before;
    const toNow: typeof fetch = (url, init) => {
      const { pathname } = new URL(url as URL);
      return fetch(new URL(pathname, now.server.url), init);
    };
    const client = of(before, { fetch: toNow, onWarning: (warning) => warnings.push(warning) });
    const request = { model: "tiny", prompt: "The", max_tokens: 2, seed: 1 };
    await client.completions.create(request);
    now = after;
    for await (const _ of await client.completions.create({ ...request, stream: true }));
    expect(warnings.map(({ code, model }) => [code, model])).toEqual([
      ["fingerprint_changed", "tiny"],
      ["checkpoint_changed", "tiny"],
    ]);
    expect(warnings[1]).toMatchObject({ before: "residua/tiny", after: "residua/other" });
    await client.close();
  });
});

describe.each(["acs", "vllm", "octoai"] as const)("repeat at profile %s", (profile) => {
  const running = serve({ profile });

  test("the embedded engine repeats its texts, batched with others too, and its log probabilities nearly", async () => {
    const client = of(running, { profile });
    const fields = { model: "tiny", prompt: ["The city of Rome is in", "The weather was"], max_tokens: 12 };
    for (const more of [{ temperature: 0 }, { seed: 5, n: 2 }]) {
      const report = await client.completions.repeat({ ...fields, ...more }, { times: 6, concurrency: 3 });
      expect(report).toMatchObject({ agree: true });
      expect(report.choices).toHaveLength("n" in more ? 4 : 2);
      expect(report.noise).toBeLessThan(1e-3);
      for (const { texts, positions, divergence } of report.choices) {
        expect(texts).toMatchObject([{ count: 6 }]);
        expect(divergence).toBeUndefined();
        expect(positions.length).toBeGreaterThan(0);
        for (const { logprob, margin } of positions) {
          expect(logprob?.count).toBe(6);
          expect(margin).toBeGreaterThanOrEqual(0);
        }
      }
    }
    await client.close();
  });
});
