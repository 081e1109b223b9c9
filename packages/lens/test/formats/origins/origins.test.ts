import { cp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readCaaVector } from "../../../src/formats/origins/caa.ts";
import { readGeometryOfTruth } from "../../../src/formats/origins/geometry-of-truth.ts";
import {
  readRefusalDirection,
  readRefusalMeanDifferences,
} from "../../../src/formats/origins/refusal-direction.ts";
import { readSteerkitProbe } from "../../../src/formats/origins/steerkit.ts";
import { readVllmHiddenStates } from "../../../src/formats/origins/vllm-hidden-states.ts";
import { fixturePath } from "../fixture.ts";
import { refusal } from "../refusal.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { originTruth } from "./origin-truth.ts";

const at = (name: string) => fixturePath(`origins/${name}`);

/** A copy of a fixture's folder, to spoil. */
async function copyOf(name: string): Promise<string> {
  const folder = await temporaryFolder();
  await cp(at(name), folder, { recursive: true });
  return folder;
}

describe("Geometry of Truth", () => {
  it("rows of all files, in the order of the statements (0, 25, 50, 75, 100, and not as text)", async () => {
    const { layer, count, width, rows } = await readGeometryOfTruth(at("geometry-of-truth"), 3);
    expect([layer, count, width]).toEqual([3, 110, 4]);
    expect([...rows]).toEqual(originTruth<number[][]>("geometry-of-truth").flat());
  });

  it("a file that is missing or short would move the rows after it, and is refused", async () => {
    const folder = await copyOf("geometry-of-truth");
    await expect(readGeometryOfTruth(folder, 4)).rejects.toEqual(
      refusal("format_missing", "no layer_4_K.pt"),
    );
    await cp(join(folder, "layer_3_100.pt"), join(folder, "layer_3_50.pt"));
    await expect(readGeometryOfTruth(folder, 3)).rejects.toEqual(
      refusal("format_invalid", "layer_3_50.pt is [10, 4]"),
    );
    await rm(join(folder, "layer_3_50.pt"));
    await expect(readGeometryOfTruth(folder, 3)).rejects.toEqual(
      refusal("format_missing", "lacks layer_3_50.pt"),
    );
  });
});

describe("Contrastive Activation Addition", () => {
  const file = "vec_layer_13_Llama-2-7b-chat-hf.pt";

  it("a vector, and its layer from its name", async () => {
    const { layer, vector } = await readCaaVector(at(`caa/${file}`));
    expect(layer).toBe(13);
    expect([...vector]).toEqual(originTruth("caa"));
  });

  it("a layer that is not stated, or in two ways, is refused", async () => {
    const folder = await copyOf("caa");
    await cp(join(folder, file), join(folder, "vector.pt"));
    await expect(readCaaVector(join(folder, "vector.pt"))).rejects.toEqual(
      refusal("layer_convention", "does not say"),
    );
    expect((await readCaaVector(join(folder, "vector.pt"), 13)).layer).toBe(13);
    await expect(readCaaVector(join(folder, file), 12)).rejects.toEqual(
      refusal("layer_convention", "of layer 13, not 12"),
    );
  });

  it("a file of another kind is refused", async () => {
    const path = fixturePath("origins/refusal-direction/mean_diffs.pt");
    await expect(readCaaVector(path, 1)).rejects.toEqual(
      refusal("format_invalid", "a tensor of shape [2, 3, 4]"),
    );
    await expect(readCaaVector(fixturePath("pt/tensors.pt"), 1)).rejects.toEqual(
      refusal("format_invalid", "a dict"),
    );
  });
});

describe("refusal_direction", () => {
  const truth = originTruth<number[][][]>("refusal-direction");

  it("C18: the chosen direction: its layer 2, an input, is our layer 1", async () => {
    const { layer, position, vector } = await readRefusalDirection(at("refusal-direction"));
    expect([layer, position]).toEqual([1, -1]);
    expect([...vector]).toEqual(truth[1]![2]);
  });

  it("the candidates of each position and layer but the embedding's", async () => {
    const directions = await readRefusalMeanDifferences(at("refusal-direction/mean_diffs.pt"));
    expect(directions.map(({ layer, position }) => [position, layer])).toEqual([
      [-2, 0],
      [-2, 1],
      [-1, 0],
      [-1, 1],
    ]);
    expect(directions.map(({ vector }) => [...vector])).toEqual([
      truth[0]![1],
      truth[0]![2],
      truth[1]![1],
      truth[1]![2],
    ]);
  });

  it.each([
    ["layer_convention", "the embedding", '{"pos": -1, "layer": 0}'],
    ["format_invalid", "is not {", '{"pos": 0, "layer": 1}'],
    ["format_invalid", "is not JSON", "{"],
  ])("%s: %s", async (code, problem, metadata) => {
    const folder = await copyOf("refusal-direction");
    await writeFile(join(folder, "direction_metadata.json"), metadata);
    await expect(readRefusalDirection(folder)).rejects.toEqual(refusal(code, problem));
  });
});

describe("steerkit", () => {
  const truth = originTruth<Record<string, number[]>>("steerkit");
  const weights = "processed-rmsnorm";
  const read = (name: string, method?: string) =>
    readSteerkitProbe(at(`steerkit/${name}.probe.safetensors`), {
      weights,
      ...(method !== undefined && { method }),
    });

  it("the default direction or a named one", async () => {
    const probe = await read("layer5");
    expect(probe).toMatchObject({
      layer: 5,
      model: "Qwen/Qwen2.5-1.5B",
      method: "steerkit: mean_difference",
    });
    expect([...probe.vector]).toEqual(truth["mean_difference"]);
    expect([...(await read("layer5", "logistic")).vector]).toEqual(truth["logistic"]);
    await expect(read("layer5", "pca")).rejects.toEqual(refusal("format_missing", "logistic"));
  });

  it.each([
    ["embedding", "-1 is the embedding"],
    ["final-norm", "after the final norm"],
    ["mlp-out", "not the residual stream"],
  ])("C18: a probe at %s has no layer of ours", async (name, why) => {
    await expect(read(name)).rejects.toEqual(refusal("layer_convention", why));
  });

  it("C19: one of a LayerNorm model with processed weights is refused", async () => {
    const path = at("steerkit/layer5.probe.safetensors");
    await expect(readSteerkitProbe(path, { weights: "processed-layernorm" })).rejects.toEqual(
      refusal("layer_convention", "centred"),
    );
  });
});

describe("extract_hidden_states of vLLM", () => {
  const path = at("vllm-hidden-states.safetensors");

  it("tokens and rows by layer: id 3 is our layer 2", async () => {
    const { tokenIds, layers } = await readVllmHiddenStates(path, [1, 3, 7]);
    expect(tokenIds).toEqual([100, 101, 102, 103, 104]);
    expect(layers.map(({ layer }) => layer)).toEqual([0, 2, 6]);
    layers.forEach(({ rows, count, width }, i) => {
      expect([count, width]).toEqual([5, 4]);
      expect([...rows]).toEqual(
        Array.from({ length: 20 }, (_, at) => Math.floor(at / 4) + i / 8 + (at % 4) / 32),
      );
    });
  });

  it("the embedding, and other ids than there are layers, are refused", async () => {
    await expect(readVllmHiddenStates(path, [0, 1, 2])).rejects.toEqual(
      refusal("layer_convention", "the embedding"),
    );
    await expect(readVllmHiddenStates(path, [1, 2])).rejects.toEqual(
      refusal("format_invalid", "2 layer ids"),
    );
  });
});
