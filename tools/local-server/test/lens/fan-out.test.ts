import { createClient, type Client, type ProfileName } from "@residua/client";
import { createLens, type Lens, steeringVector } from "@residua/lens";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { serve, tinyConfig } from "../support.ts";

const prompt = ["The city of Rome is in", "The city of Paris is in", "Lima"];
const sampling = { model: "tiny", prompt, max_tokens: 5, temperature: 2 };
const layer = 3;
const steering = [
  steeringVector({
    rows: { [layer]: Float32Array.from({ length: tinyConfig.hidden_size }, (_, i) => Math.sin(i)) },
    scale: 3,
    normMatch: true,
  }),
];

describe.each(["acs", "vllm"] as const)("several prompts and choices at the local server, %s", (profile) => {
  const running = serve({ profile });
  let client: Client<ProfileName>;
  let lens: Lens<ProfileName>;
  beforeAll(() => {
    client = createClient({ baseURL: running.server.url, profile });
    lens = createLens(client);
  });
  afterAll(() => client.close());

  test("are sampled as one request of them all, and counted as it", async () => {
    const whole = await client.completions.create({ ...sampling, n: 3, seed: 11 });
    const singles = await lens.generate({ ...sampling, n: 3, seed: 11 });
    const texts = singles.choices.map(({ text }) => text);
    expect(texts).toEqual(whole.choices.map(({ text }) => text));
    expect(new Set(texts).size).toBeGreaterThan(3);
    expect(singles.choices.map(({ index }) => index)).toEqual(whole.choices.map(({ index }) => index));
    expect(singles.usage).toMatchObject({
      prompt_tokens: whole.usage?.prompt_tokens,
      completion_tokens: whole.usage?.completion_tokens,
      total_tokens: whole.usage?.total_tokens,
    });
    expect(singles.choicesOf(2)).toEqual(singles.choices.slice(6));
  });

  test("are steered and captured each as alone", async () => {
    const run = lens.captureMany(
      { ...sampling, n: 2, seed: 5, layers: [layer], steering },
      { concurrency: 4 },
    );
    for await (const { prompt: p, choice, seed, capture, error } of run) {
      expect(error).toBeUndefined();
      expect(seed).toBe(5 + choice);
      const alone = await lens.capture({
        ...sampling,
        prompt: prompt[p] ?? "",
        seed: 5 + choice,
        layers: [layer],
        steering,
      });
      expect(capture?.completion.choices[0]?.text).toBe(alone.completion.choices[0]?.text);
      expect(capture?.layer(layer)).toEqual(alone.layer(layer));
    }
    const steered = await lens.generate({ ...sampling, n: 2, seed: 5, steering });
    const plain = await lens.generate({ ...sampling, n: 2, seed: 5 });
    expect(steered.choices.map(({ text }) => text)).not.toEqual(plain.choices.map(({ text }) => text));
  });

  test("are proven once for each prompt, where asked", async () => {
    let asked = 0;
    const counting: typeof fetch = (...request) => {
      asked++;
      return fetch(...request);
    };
    const counted = createClient({ baseURL: running.server.url, profile, fetch: counting });
    const request = {
      ...sampling,
      prompt: [prompt[0] ?? ""],
      seed: 5,
      layers: [layer],
      steering,
      verify: true,
    };
    const cost = async (n: number) => {
      const before = asked;
      for await (const { capture, error } of createLens(counted).captureMany({ ...request, n })) {
        expect(error).toBeUndefined();
        expect(capture?.checks.map(({ code }) => code)).toContain("steering_delta");
      }
      return asked - before;
    };
    const one = await cost(1);
    expect(await cost(3)).toBeLessThanOrEqual(one + 2);
    const { checks } = await createLens(counted).generate({ ...sampling, n: 2, steering, verify: true });
    expect(checks.map(({ code }) => code)).toContain("steering_delta");
    await counted.close();
  });
});
