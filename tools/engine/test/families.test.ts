import { beforeAll, describe, expect, test } from "vitest";
import { ropeTable } from "../src/rope.ts";
import { familyModel, fixtureTensors, loadNetwork, runAll, worstRow } from "./support.ts";

/** ‖difference‖ / ‖reference‖ of any row, float32 against float32. */
const tolerance = 1e-3;

let reference: Map<string, Float32Array | Int32Array>;
beforeAll(async () => {
  reference = await fixtureTensors("families-reference.safetensors");
});

const of = (name: string, part: string) => reference.get(`${name}.${part}`) as Float32Array;

describe.each(["llama3", "linear", "biased", "qwen2", "qwen2-tied", "mistral"])("%s", (name) => {
  test("agrees with transformers in every row and layer, and not shifted by one layer", async () => {
    const network = await loadNetwork(familyModel(name));
    const { hiddenSize, layers, vocabSize } = network.config;
    const { logits, residual } = runAll(network, [...of(name, "tokens")]);
    expect(worstRow(logits, of(name, "logits"), vocabSize)).toBeLessThanOrEqual(tolerance);
    const size = of(name, "residual").length / layers;
    residual.forEach((values, layer) => {
      const own = of(name, "residual").subarray(layer * size, (layer + 1) * size);
      expect(worstRow(values, own, hiddenSize)).toBeLessThanOrEqual(tolerance);
      if (layer > 0) expect(worstRow(residual[layer - 1]!, own, hiddenSize)).toBeGreaterThan(10 * tolerance);
    });
  });
});

test.each(["llama3", "linear"])("%s: without its scaling the same comparison fails", async (name) => {
  const network = await loadNetwork(familyModel(name));
  const rope = ropeTable({ ...network.config, ropeScaling: null });
  const { logits } = runAll({ ...network, rope }, [...of(name, "tokens")]);
  expect(worstRow(logits, of(name, "logits"), network.config.vocabSize)).toBeGreaterThan(10 * tolerance);
});

test.each(["biased", "qwen2", "qwen2-tied"])(
  "%s: without its biases the same comparison fails",
  async (name) => {
    const network = await loadNetwork(familyModel(name));
    const layers = network.weights.layers.map((layer) => ({
      ...layer,
      queryKeyValueBias: null,
      attentionOutBias: null,
    }));
    const { logits } = runAll({ ...network, weights: { ...network.weights, layers } }, [
      ...of(name, "tokens"),
    ]);
    expect(worstRow(logits, of(name, "logits"), network.config.vocabSize)).toBeGreaterThan(10 * tolerance);
  },
);
