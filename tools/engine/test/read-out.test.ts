import { expect, test } from "vitest";
import { makeReadOut } from "../src/read-out.ts";
import { disposeWeights } from "../src/weights.ts";
import { familyModel, loadNetwork, oddModel } from "./support.ts";

test.each([
  ["untied", familyModel("llama3")],
  ["tied", familyModel("qwen2-tied")],
  ["in shards", oddModel],
])("rows of the unembedding are those that scores are products with: %s", async (_, folder) => {
  const network = await loadNetwork(folder);
  try {
    const { vocabSize, hiddenSize } = network.config;
    const ends = makeReadOut(network, folder, () => true);
    const row = Float32Array.from({ length: hiddenSize }, (_, i) => Math.sin(i + 1));
    const products = ends.project(row);
    expect(products).toHaveLength(vocabSize);
    const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, i) => sum + value * b[i]!, 0);
    for (const token of [0, 7, vocabSize - 1])
      expect(products[token]).toBeCloseTo(dot(row, await ends.unembedding(token)), 5);
    // The norm of a row is that of any multiple.
    const size = Math.sqrt(dot(row, row) / hiddenSize);
    const normed = row.map((value, i) => (value / size) * ends.finalNorm[i]!);
    ends
      .scores(row.map((value) => 1000 * value))
      .forEach((score, i) => expect(score).toBeCloseTo(ends.project(normed)[i]!, 3));
    if (network.config.tiedEmbeddings) expect(await ends.unembedding(3)).toEqual(ends.embedding(3));
    else expect(await ends.unembedding(3)).not.toEqual(ends.embedding(3));
  } finally {
    disposeWeights(network.weights);
  }
});
