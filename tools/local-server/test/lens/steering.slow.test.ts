import { createClient } from "@residua/client";
import { createLens, type Lens, type SteeringVectorOptions, steeringVector } from "@residua/lens";
import { loadModel, type Model } from "@residua/engine";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { QuirkName } from "../../src/quirks/quirk-list.ts";
import { withScene } from "../quirks/quirk-support.ts";
import { someVector, tinyConfig, tinyModel } from "../support.ts";

const prompt = "The city of Rome is in Europe. Verdict:";
/** Token ids after which the model does not end. */
const long = Array.from({ length: 138 }, (_, i) => 280 + i);
const width = tinyConfig.hidden_size;
const row = (seed: number) => Float32Array.from(someVector(width, seed));

let model: Model;
beforeAll(async () => void (model = await loadModel(tinyModel)));
afterAll(() => model.dispose());

/** A lens of a kind of server that has a quirk at every request, or none. */
function withLens<T>(
  quirk: QuirkName | null,
  use: (
    lens: Pick<Lens, "generate" | "generateMany" | "capture" | "captureMany" | "verifySteering">,
  ) => Promise<T>,
  profile: "acs" | "vllm" = "acs",
): Promise<T> {
  return withScene(
    model,
    quirk,
    async ({ url, headers }) => {
      const client = createClient({ baseURL: url, apiKey: "", headers, maxRetries: 0, profile });
      try {
        return await use(createLens(client));
      } finally {
        await client.close();
      }
    },
    profile,
  );
}

interface Asked {
  vectors: SteeringVectorOptions[];
  prompt?: string | number[];
  max_tokens?: number;
  profile?: "acs" | "vllm";
}

const proven = (quirk: QuirkName | null, { vectors, profile = "acs", ...fields }: Asked) =>
  withLens(
    quirk,
    (lens) =>
      lens.verifySteering({ prompt, max_tokens: 4, ...fields, steering: vectors.map(steeringVector) }).then(
        ({ checks }) => checks.map(({ code, status }) => `${code} ${status}`),
        (error: Error & { code?: string }) => [error.code ?? error.message],
      ),
    profile,
  );

const plain: Asked = { vectors: [{ rows: { 3: row(1) }, scale: 2 }], prompt: long };

describe.each(["acs", "vllm"] as const)("a right server of the kind %s", (profile) => {
  test.each([
    ["one layer", [{ rows: { 3: row(1) }, scale: 2 }]],
    ["the first layer", [{ rows: { 0: row(1) } }]],
    ["three layers", [{ rows: { 1: row(1), 2: row(2), 5: row(3) }, scale: -1 }]],
    ["two vectors at a layer", [{ rows: { 3: row(1) } }, { rows: { 3: row(2) }, scale: 3 }]],
    ["norm-matched", [{ rows: { 3: row(1) }, scale: 0.4, normMatch: true }]],
    [
      "norm-matched, of norm 1e-6",
      [
        {
          rows: { 3: row(1).map((value) => (1e-6 * value) / Math.hypot(...row(1))) },
          scale: 0.4,
          normMatch: true,
        },
      ],
    ],
    ["two norm-matched", [1, 2].map((seed) => ({ rows: { 3: row(seed) }, scale: 0.5, normMatch: true }))],
  ])("%s: proven at prompt and generated rows", async (_, vectors) => {
    for (const at of [prompt, long]) {
      const checks = await proven(null, { vectors, prompt: at, profile });
      expect(checks.filter((check) => check === "steering_delta pass").length).toBeGreaterThanOrEqual(2);
      expect(checks.join()).not.toContain("unverified");
    }
  });

  test("named positions, rows of their own, decoded ones too", async () => {
    const rows = { 3: [row(1), row(2), row(3)] };
    const checks = await proven(null, {
      vectors: [{ rows, positions: [139, 0, 70], scale: 2 }],
      prompt: long,
      profile,
    });
    expect(checks).toEqual([
      "steering_delta pass",
      "steering_delta pass",
      "steering_positions pass",
      "steering_layers_below pass",
    ]);
  });
});

test("positions that a text does not have are never a pass", async () => {
  const asked = { vectors: [{ rows: { 3: row(1) }, positions: [37] }], max_tokens: 1 };
  expect(await proven(null, { ...asked, profile: "vllm" })).toEqual(["steering_positions"]);
  // Without /tokenize they are fewer than the prompt's bytes, and this server refuses them itself.
  expect(await proven(null, asked)).toEqual(["invalid_request"]);
});

test("a vllm server counts a text that vectors name positions of, for captures and completions", () =>
  withLens(
    null,
    async (lens) => {
      const steering = [steeringVector({ rows: { 3: row(1) }, positions: [37] })];
      const asked = { prompt, steering, max_tokens: 1 };
      await expect(lens.generate(asked)).rejects.toMatchObject({ code: "steering_positions" });
      await expect(lens.capture({ ...asked, layers: [3] })).rejects.toMatchObject({
        code: "steering_positions",
      });
    },
    "vllm",
  ));

describe("what servers do in silence is named", () => {
  test.each([
    ["S4: steering-dropped", "steering_dropped", "steering-dropped", plain],
    ["S3: prefill-only-steering", "steering_prefill_only", "prefill-only-steering", plain],
    [
      "C11: chunk-relative-positions, index 0 on each generated token",
      "steering_misplaced",
      "chunk-relative-positions",
      { ...plain, vectors: [{ rows: { 3: row(1) }, positions: [0] }] },
    ],
    [
      "C11: chunk-relative-positions, an index in every chunk",
      "steering_misplaced",
      "chunk-relative-positions",
      { ...plain, max_tokens: 1, vectors: [{ rows: { 3: row(1) }, positions: [10] }] },
    ],
    [
      "C11: chunk-relative-positions, an index beyond the chunk",
      "steering_dropped",
      "chunk-relative-positions",
      { ...plain, vectors: [{ rows: { 3: row(1) }, positions: [100] }] },
    ],
    [
      "C6: norm-match-of-delta",
      "steering_norm_match",
      "norm-match-of-delta",
      { ...plain, vectors: [{ rows: { 3: row(1) }, scale: 0.4, normMatch: true }] },
    ],
    ["off-by-one-layer", "steering_layers_below", "off-by-one-layer", plain],
  ] as [string, string, QuirkName, Asked][])("%s: %s", async (_, code, quirk, asked) => {
    expect(await proven(quirk, asked)).toEqual([code]);
  });
});

describe("verify: true", () => {
  const steering = [steeringVector({ rows: { 3: row(1) }, scale: 2 })];
  const request = { prompt: long, max_tokens: 3, temperature: 0, steering, verify: true } as const;

  test("generate and capture bring the checks, and the completion prints as the server sent it", () =>
    withLens(null, async (lens) => {
      const completion = await lens.generate(request);
      expect(completion.checks.map(({ code }) => code)).toEqual([
        "steering_delta",
        "steering_delta",
        "steering_layers_below",
      ]);
      expect(JSON.stringify(completion)).not.toContain("steering_delta");
      expect(completion.choicesOf(0)).toHaveLength(1);
      const { checks } = await lens.capture({ ...request, layers: [1], verify: "first layer" });
      expect(checks.filter(({ code }) => code === "steering_delta")).toHaveLength(2);
      const plain = await lens.generate({ ...request, verify: false });
      expect(plain.checks).toEqual([]);
      expect(plain.choices).toEqual(completion.choices);
    }));

  test("nothing is sampled when the steering is not proven, in lists too", () =>
    withLens("steering-dropped", async (lens) => {
      await expect(lens.generate(request)).rejects.toMatchObject({ code: "steering_dropped" });
      await expect(lens.capture({ ...request, layers: [1] })).rejects.toMatchObject({
        code: "steering_dropped",
        data: { proof: { layer: 3, steered: expect.any(Array) as unknown } },
      });
      for await (const { error } of lens.captureMany({ ...request, layers: [1] }))
        expect(error?.code).toBe("steering_dropped");
      for await (const { error } of lens.generateMany(request)) expect(error?.code).toBe("steering_dropped");
    }));

  test("a capture of the prompt alone is proven as that", () =>
    withLens("chunk-relative-positions", async (lens) => {
      const first = [steeringVector({ rows: { 3: row(1) }, positions: [0] })];
      const asked = { prompt, layers: [1], steering: first, verify: true } as const;
      const { checks } = await lens.capture(asked);
      expect(checks).toContainEqual(expect.objectContaining({ code: "steering_delta", status: "pass" }));
      await expect(lens.capture({ ...asked, max_tokens: 3 })).rejects.toMatchObject({
        code: "steering_misplaced",
      });
    }));

  test("a vector of another width, at a model whose width is not known", () =>
    withLens("wrong-width-accepted", async (lens) => {
      const narrow = [steeringVector({ rows: { 3: row(1).subarray(1) } })];
      await expect(
        lens.generate({ ...request, model: "tiny-uncatalogued", steering: narrow }),
      ).rejects.toMatchObject({ code: expect.stringMatching(/layer_count|missing_activations/) as string });
    }));

  test("the first layer alone costs two captures", () =>
    withLens(null, async (lens) => {
      const three = [steeringVector({ rows: { 1: row(1), 3: row(2), 5: row(3) } })];
      const { layers, checks } = await lens.verifySteering({
        ...request,
        steering: three,
        verify: "first layer",
      });
      expect(layers.map(({ layer }) => layer)).toEqual([1]);
      expect(checks.at(-1)).toMatchObject({
        status: "unverified",
        detail: 'layers 3, 5 were not compared (verify: "first layer")',
      });
      expect((await lens.verifySteering({ ...request, steering: [] })).layers).toEqual([]);
    }));
});
