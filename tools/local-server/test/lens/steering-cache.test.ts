import { createClient } from "@residua/client";
import { createLens, lensProfiles, steeringVector } from "@residua/lens";
import { loadModel, type Model } from "@residua/engine";
import { afterAll, beforeAll, expect, test } from "vitest";
import { withScene } from "../quirks/quirk-support.ts";
import { someVector, tinyConfig, tinyModel } from "../support.ts";

let model: Model;
beforeAll(async () => void (model = await loadModel(tinyModel)));
afterAll(() => model.dispose());

const steering = [
  steeringVector({ rows: { 0: Float32Array.from(someVector(tinyConfig.hidden_size, 3)) }, scale: 8 }),
];

/** The greedy token's log probability of a prompt that was steered before: read from the cache, and computed anew. */
async function afterSteering(profile: (typeof lensProfiles)["vllm"], first: number) {
  return withScene(
    model,
    "prefix-cache-contamination",
    async ({ url, headers }) => {
      const client = createClient({ baseURL: url, apiKey: "", headers, maxRetries: 0, profile: "vllm" });
      const lens = createLens(client, { profile });
      const prompt = Array.from({ length: 70 }, (_, i) => first + i);
      const ask = async (more: object) => {
        const { choices } = await lens.generate({
          prompt,
          max_tokens: 1,
          temperature: 0,
          logprobs: 1,
          ...more,
        });
        return choices[0]?.logprobs?.token_logprobs?.[0];
      };
      try {
        await ask({ steering });
        return { cached: await ask({}), fresh: await ask({ steering: [] }) };
      } finally {
        await client.close();
      }
    },
    "vllm",
  );
}

test("S12, C15: a steered request leaves nothing to later ones, and a comparison reads nothing that was left", async () => {
  const salted = await afterSteering(lensProfiles.vllm, 300);
  expect(salted.cached).toBe(salted.fresh);
  // Without the salt the same server gives the next request steered keys and values.
  const { cacheSalt: _left, ...rest } = lensProfiles.vllm;
  const bare = await afterSteering(rest, 400);
  expect(Math.abs((bare.cached ?? 0) - (bare.fresh ?? 0))).toBeGreaterThan(0.01);
});
