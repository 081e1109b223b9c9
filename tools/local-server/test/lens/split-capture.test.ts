import { createClient, type Client, type ProfileName } from "@residua/client";
import {
  createLens,
  depth,
  everyToken,
  last,
  layerRange,
  type Lens,
  lensProfiles,
  meanOf,
  select,
  span,
} from "@residua/lens";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { serve, tinyConfig } from "../support.ts";

const { num_hidden_layers: layerCount, hidden_size: hiddenSize } = tinyConfig;
const prompt = "The city of Rome is in Europe. Verdict:";
const emoji = "Zoë 😀 日本 said: is Rome in Europe?";

describe.each(["acs", "vllm"] as const)("captures in parts at the local server, %s", (profile) => {
  const running = serve({ profile });
  let client: Client<ProfileName>;
  let lens: Lens<ProfileName>;
  let whole: Lens<ProfileName>;
  beforeAll(() => {
    const { num_hidden_layers: layers, vocab_size: vocabSize } = tinyConfig;
    // vLLM's catalogue states none of this.
    const models = { tiny: { hiddenSize, layers, vocabSize, bosTokenId: 0 } };
    client = createClient({ baseURL: running.server.url, profile, models });
    const base = lensProfiles[profile];
    // Two layers of some twenty tokens.
    const small = { ...base, name: "small", limits: { ...base.limits, captureNumbers: 2 * 24 * hiddenSize } };
    lens = createLens(client, { profile: small });
    whole = createLens(client);
  });
  afterAll(() => client.close());

  test("a split capture is bit for bit the one of a single request, generated rows too", async () => {
    const request = { model: "tiny", prompt, layers: "all", max_tokens: 5 } as const;
    for (const sampling of [{}, { temperature: 1.5, seed: 9 }]) {
      const one = await whole.capture({ ...request, ...sampling });
      const split = await lens.capture({ ...request, ...sampling, split: true });
      expect(split.checks.find(({ code }) => code === "split")).toMatchObject({ status: "pass" });
      expect(one.checks.map(({ code }) => code)).not.toContain("split");
      expect(split.layers).toEqual(Array.from({ length: layerCount }, (_, layer) => layer));
      expect(split.tokens).toEqual(one.tokens);
      expect(split.positions).toBe(one.positions);
      for (const layer of one.layers) expect(split.layer(layer)).toEqual(one.layer(layer));
    }
  });

  test("a plan counts as the server does, and its requests are taken as they are", async () => {
    const prompts = [prompt, emoji];
    const plan = await lens.planCapture({
      model: "tiny",
      prompts,
      layers: [depth(0), layerRange(2, 3)],
      select: last,
    });
    expect(plan.tooLarge).toEqual([]);
    expect(plan.diskBytes).toEqual({ least: 2 * 3 * hiddenSize * 2, most: 2 * 3 * hiddenSize * 2 });
    for (const { request, tokens, numbers, index } of plan.captures) {
      const capture = await lens.capture(request);
      expect(capture.layers).toEqual([0, 2, 3]);
      const came = 3 * capture.positions * hiddenSize;
      expect(numbers?.least).toBeLessThanOrEqual(came);
      expect(numbers?.most).toBeGreaterThanOrEqual(came);
      expect(tokens.source).toBe(profile === "vllm" ? "server" : "bytes");
      if (profile === "vllm") expect(numbers).toEqual({ least: came, most: came });
      expect(select(capture, last).positions).toEqual([capture.positions - 1]);
      expect(index).toBe(prompts.indexOf(request.prompt as string));
    }
    const after = await lens.planCapture({ model: "tiny", prompts, layers: [1] });
    expect(after.seconds?.most).toBeGreaterThan(0);
  });

  test("spans of a text with characters of several tokens are its own tokens", async () => {
    const capture = await whole.capture({ model: "tiny", prompt: emoji, layers: [1], max_tokens: 3 });
    const own = capture.tokens.filter(({ role }) => role === "prompt");
    // The smile takes several tokens, of which the last names it all.
    const smile = select(capture, span({ text: "😀", cut: "outer" }));
    expect(smile.positions.length).toBeGreaterThan(1);
    expect(smile.tokens.map(({ text }) => text).join("")).toContain("😀");
    expect(smile.matches).toEqual([
      { text: "😀", start: { utf16: 4, codePoints: 4 }, end: { utf16: 6, codePoints: 5 } },
    ]);
    const all = select(capture, span({ characters: { from: 0, to: emoji.length } }));
    const bos = own[0]?.text === null && own[0].id === 0 ? 1 : 0;
    expect(all.positions).toEqual(own.map((_, i) => i).slice(bos));
    const mean = select(capture, meanOf(everyToken));
    expect(mean.positions[0]).toBe(bos);
    const [layer] = mean.layers;
    const sum = mean.positions.reduce(
      (total, position) => total + capture.row({ layer: 1, position })[3]!,
      0,
    );
    if (layer?.dtype !== "float32") throw new Error("pooled rows are float32");
    expect(layer.values[3]).toBe(Math.fround(sum / mean.positions.length));
    const generated = select(capture, span({ role: "generated" }));
    expect(generated.positions).toEqual(
      [own.length, own.length + 1].filter((position) => position < capture.positions),
    );
  });
});
