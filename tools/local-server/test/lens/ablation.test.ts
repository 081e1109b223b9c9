import { readFile } from "node:fs/promises";
import { loadModel } from "@residua/engine";
import { expect, it } from "vitest";
import { ablatedDirection, largestShare, repositoryPath, withAblated } from "./ablation-support.ts";

const folder = repositoryPath("tools/tiny-model/model");

/** What PyTorch makes of the tiny model with the direction taken out of its weights: see make_ablation.py in lens. */
interface Reference {
  tokens: number[];
  /** [layers, hidden size] of the last token. */
  residual: number[][];
  logprobs: number[];
}

/** ‖a − b‖ / ‖b‖. */
function relativeDistance(a: ArrayLike<number>, b: readonly number[]): number {
  return Math.hypot(...b.map((value, i) => value - a[i]!)) / Math.hypot(...b);
}

it("an ablated model has nothing along the direction in any row of any layer, and runs as PyTorch runs it", async () => {
  const path = repositoryPath("tools/local-server/fixtures/ablation/tiny.json");
  const { tokens, residual, logprobs } = JSON.parse(await readFile(path, "utf8")) as Reference;
  const vector = ablatedDirection(96);
  const before = await loadModel(folder);
  expect(await largestShare(before, tokens, vector)).toBeGreaterThan(0.1);
  await before.dispose();
  await withAblated(folder, vector, async (model) => {
    // float32 weights.
    expect(await largestShare(model, tokens, vector)).toBeLessThan(1e-5);
    const { layers, hiddenSize, vocabSize } = model.config;
    const capture = Array.from({ length: layers }, (_, layer) => layer);
    const request = { prompt: tokens, maxTokens: 1, temperature: 0, logprobs: vocabSize, capture };
    const [generation] = await model.generate([request]);
    generation!.capture!.values.forEach((values, layer) => {
      expect(relativeDistance(values.subarray(-hiddenSize), residual[layer]!)).toBeLessThan(1e-4);
    });
    const top = [...generation!.choices[0]!.logprobs![0]!.top].sort((a, b) => a.token - b.token);
    expect(
      relativeDistance(
        top.map(({ logprob }) => logprob),
        logprobs,
      ),
    ).toBeLessThan(1e-4);
  });
});
