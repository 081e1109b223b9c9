import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { tensorCount } from "../src/backend.ts";
import { forward, type Network } from "../src/forward.ts";
import { createKvCache } from "../src/kv-cache.ts";
import { argmax } from "../src/sampling.ts";
import {
  fixtureJson,
  fixtureTensors,
  loadNetwork,
  oddModel,
  runAll,
  tinyModel,
  worstRow,
} from "./support.ts";

interface Reference {
  modelSha256: string;
  cases: { number: number; text: string; ids: number[]; greedy: number[]; smallestMargin: number }[];
}

/** ‖difference‖ / ‖reference‖ of any row, float32 against float32. */
const tolerance = 1e-3;

let tiny: Network;
let reference: Reference;
let tensors: Map<string, Float32Array | Int32Array>;

beforeAll(async () => {
  [tiny, reference, tensors] = await Promise.all([
    loadNetwork(tinyModel),
    fixtureJson<Reference>("tiny-reference.json"),
    fixtureTensors("tiny-reference.safetensors"),
  ]);
});

const referenceLayer = (number: number, layer: number) => {
  const all = tensors.get(`residual.${number}`) as Float32Array;
  const size = all.length / tiny.config.layers;
  return all.subarray(layer * size, (layer + 1) * size);
};

describe("against transformers on the tiny model", () => {
  test("the fixture was made from this model", async () => {
    const weights = await readFile(join(tinyModel, "model.safetensors"));
    expect(createHash("sha256").update(weights).digest("hex")).toBe(reference.modelSha256);
    expect(reference.cases.length).toBe(20);
  });

  test("logits and the residual of each layer agree in every row", () => {
    for (const { number, ids } of reference.cases) {
      const { logits, residual } = runAll(tiny, ids);
      const expected = tensors.get(`logits.${number}`) as Float32Array;
      expect(logits.length).toBe(expected.length);
      expect(worstRow(logits, expected, tiny.config.vocabSize)).toBeLessThanOrEqual(tolerance);
      residual.forEach((values, layer) => {
        const difference = worstRow(values, referenceLayer(number, layer), tiny.config.hiddenSize);
        expect(difference).toBeLessThanOrEqual(tolerance);
      });
    }
  });

  test("the same comparison shifted by one layer fails for every prompt and layer", () => {
    for (const { number, ids } of reference.cases) {
      const { residual } = runAll(tiny, ids);
      for (let layer = 1; layer < tiny.config.layers; layer++) {
        const shifted = worstRow(residual[layer - 1]!, referenceLayer(number, layer), tiny.config.hiddenSize);
        expect(shifted).toBeGreaterThan(10 * tolerance);
      }
    }
  });

  test("greedy tokens are equal, decoded one by one through the cache", () => {
    for (const { ids, greedy } of reference.cases) {
      const cache = createKvCache(tiny.config, ids.length + greedy.length);
      const chosen: number[] = [];
      let tokens = ids;
      let start = 0;
      while (chosen.length < greedy.length) {
        const segment = { tokens, start, cache, steering: null, recorder: null, logits: "last" as const };
        start += tokens.length;
        tokens = [argmax(forward(tiny, [segment])[0]!)];
        chosen.push(tokens[0]!);
      }
      expect(chosen).toEqual(greedy);
    }
  });
});

test("a model whose sizes all differ, in bfloat16 shards with an output matrix of its own, agrees too", async () => {
  const odd = await loadNetwork(oddModel);
  const expected = await fixtureTensors("odd-reference.safetensors");
  const { logits, residual } = runAll(odd, [...(expected.get("tokens") as Int32Array)]);
  const { hiddenSize, layers, vocabSize } = odd.config;
  expect(worstRow(logits, expected.get("logits") as Float32Array, vocabSize)).toBeLessThanOrEqual(tolerance);
  const all = expected.get("residual") as Float32Array;
  const size = all.length / layers;
  residual.forEach((values, layer) => {
    const own = all.subarray(layer * size, (layer + 1) * size);
    expect(worstRow(values, own, hiddenSize)).toBeLessThanOrEqual(tolerance);
    if (layer > 0) expect(worstRow(residual[layer - 1]!, own, hiddenSize)).toBeGreaterThan(10 * tolerance);
  });
});

test("running a prompt in parts through the cache equals one pass, bit by bit", () => {
  const { ids } = reference.cases.find(({ ids }) => ids.length >= 12)!;
  const whole = runAll(tiny, ids);
  const cache = createKvCache(tiny.config, ids.length);
  const scores: number[] = [];
  for (const [from, to] of [
    [0, 1],
    [1, 6],
    [6, 7],
    [7, ids.length],
  ] as const) {
    const part = { tokens: ids.slice(from, to), start: from, cache, steering: null, recorder: null };
    scores.push(...forward(tiny, [{ ...part, logits: "all" }])[0]!);
  }
  expect(Float32Array.from(scores)).toEqual(whole.logits);
});

test("only the scores asked for come back, and no tensor is left over", () => {
  const before = tensorCount();
  const segments = (["none", "last", "all"] as const).map((logits) => ({
    tokens: [0, 5, 9],
    start: 0,
    cache: createKvCache(tiny.config, 3),
    steering: null,
    recorder: null,
    logits,
  }));
  const scores = forward(tiny, segments);
  const { vocabSize } = tiny.config;
  expect(scores.map(({ length }) => length / vocabSize)).toEqual([0, 1, 3]);
  expect(scores[1]).toEqual(scores[2]!.slice(2 * vocabSize));
  expect(tensorCount()).toBe(before);
});
