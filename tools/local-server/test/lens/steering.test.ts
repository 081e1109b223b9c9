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
  use: (lens: Pick<Lens, "generate" | "capture" | "verifySteering">) => Promise<T>,
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
