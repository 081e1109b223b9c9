import { beforeAll, describe, expect, test } from "vitest";
import { ropeTable } from "../src/rope.ts";
import { openModelFiles } from "../src/model-files.ts";
import { fixtureTensors, ggufModel, loadNetwork, runAll, worstRow } from "./support.ts";

/** ‖difference‖ / ‖reference‖ of any row, float32 against float32. */
const tolerance = 1e-3;

let reference: Map<string, Float32Array | Int32Array>;
beforeAll(async () => {
  reference = await fixtureTensors("gguf-reference.safetensors");
});

const of = (name: string, part: string) => reference.get(`${name}.${part}`) as Float32Array;

describe.each(["llama", "qwen2"])("%s", (name) => {
  test("agrees in every row and layer with transformers reading the file, and not shifted by one layer", async () => {
    const network = await loadNetwork(ggufModel(name));
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

test("without the rotary divisors the same comparison fails", async () => {
  const network = await loadNetwork(ggufModel("llama"));
  const rope = ropeTable({ ...network.config, ropeScaling: null });
  const { logits } = runAll({ ...network, rope }, [...of("llama", "tokens")]);
  expect(worstRow(logits, of("llama", "logits"), network.config.vocabSize)).toBeGreaterThan(10 * tolerance);
});

test("tensors are checked against the shape that the metadata ask for", async () => {
  const { checkpoint } = await openModelFiles(ggufModel("qwen2"));
  await expect(checkpoint.floats("model.norm.weight", [65])).rejects.toThrow(
    "qwen2.gguf: tensor output_norm.weight has shape [64] where its metadata asks for [65]",
  );
  await expect(checkpoint.floats("lm_head.weight", [60, 64])).rejects.toMatchObject({
    code: "weights_invalid",
  });
  await checkpoint.close();
});
