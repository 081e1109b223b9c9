import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  convertLayer,
  layerConventions,
  type LayerConvention,
} from "../../../src/formats/conventions/layer-convention.ts";
import {
  checkProcessedWeights,
  layerOfTransformerLensName,
} from "../../../src/formats/conventions/transformer-lens-name.ts";
import { refusal } from "../refusal.ts";

const names = Object.keys(layerConventions) as LayerConvention[];

describe("convertLayer", () => {
  it.each<[LayerConvention, number]>([
    ["vllm-lens", 5],
    ["geometry-of-truth", 5],
    ["caa", 5],
    ["repeng", 5],
    ["llama.cpp", 5],
    ["steerkit", 5],
    ["transformer-lens-post", 5],
    ["huggingface", 6],
    ["transformer-lens-pre", 6],
    ["refusal-direction", 6],
    ["aisteer360", 6],
    ["vllm-hidden-states", 6],
  ])("C18: our layer 5 of 8 is %s %i, and back", (name, index) => {
    expect(convertLayer({ from: "residua", to: name, layer: 5, layers: 8 })).toBe(index);
    expect(convertLayer({ from: name, to: "residua", layer: index, layers: 8 })).toBe(5);
  });

  it.each<[LayerConvention, number, string]>([
    ["huggingface", 0, "hidden_states[0] is the embedding"],
    ["huggingface", 8, "after the final norm (8 blocks)"],
    ["transformer-lens-pre", 0, "the embedding"],
    ["transformer-lens-pre", 8, "(8 blocks)"],
    ["refusal-direction", 0, "the embedding"],
    ["steerkit", -1, "-1 is the embedding"],
    ["steerkit", 8, "after the final norm"],
    ["llama.cpp", 0, "no slot for layer 0"],
    ["vllm-hidden-states", 0, "id 0 is the embedding"],
    ["vllm-hidden-states", 9, "no such block"],
    ["residua", -1, "counted from 0"],
    ["residua", 8, "no such block"],
    ["residua", 1.5, "whole numbers"],
  ])("C18: %s %d has no equivalent", (from, layer, why) => {
    expect(() => convertLayer({ from, to: "residua", layer, layers: 8 })).toThrow(
      refusal("layer_convention", why),
    );
  });

  it.each<[LayerConvention, number, string]>([
    ["huggingface", 7, "after the final norm"],
    ["transformer-lens-pre", 7, "the input of none"],
    ["refusal-direction", 7, "the input of none"],
    ["llama.cpp", 0, "no slot"],
  ])("C18: %s has nothing for our layer %d of 8", (to, layer, why) => {
    expect(() => convertLayer({ from: "residua", to, layer, layers: 8 })).toThrow(
      refusal("layer_convention", why),
    );
  });

  it("asks for the number of blocks only where the last index could be another thing", () => {
    const askFor = refusal("layer_convention", "say how many blocks");
    expect(() => convertLayer({ from: "huggingface", to: "residua", layer: 3 })).toThrow(askFor);
    expect(() => convertLayer({ from: "residua", to: "huggingface", layer: 3 })).toThrow(askFor);
    expect(() => convertLayer({ from: "residua", to: "refusal-direction", layer: 3 })).toThrow(askFor);
    expect(() => convertLayer({ from: "vllm-hidden-states", to: "refusal-direction", layer: 3 })).toThrow(
      askFor,
    );
    expect(convertLayer({ from: "refusal-direction", to: "aisteer360", layer: 3 })).toBe(3);
    expect(convertLayer({ from: "refusal-direction", to: "llama.cpp", layer: 3 })).toBe(2);
    expect(convertLayer({ from: "vllm-hidden-states", to: "residua", layer: 3 })).toBe(2);
  });

  it("any conversion goes back to where it came from, or is an error (property)", () => {
    const convention = fc.constantFrom(...names);
    fc.assert(
      fc.property(
        convention,
        convention,
        fc.integer({ min: -2, max: 12 }),
        fc.integer({ min: 1, max: 10 }),
        (from, to, layer, layers) => {
          let there: number;
          try {
            there = convertLayer({ from, to, layer, layers });
          } catch (error) {
            expect(error).toMatchObject({ code: "layer_convention" });
            return;
          }
          expect(convertLayer({ from: to, to: from, layer: there, layers })).toBe(layer);
        },
      ),
    );
  });
});

describe("TransformerLens", () => {
  it("names give the layer", () => {
    expect(layerOfTransformerLensName("blocks.7.hook_resid_post")).toBe(7);
    expect(layerOfTransformerLensName("blocks.8.hook_resid_pre")).toBe(7);
  });

  it.each([
    "blocks.0.hook_resid_pre",
    "hook_embed",
    "ln_final.hook_normalized",
    "blocks.3.hook_mlp_out",
    "blocks.-1.hook_resid_post",
  ])("%s has no equivalent", (name) => {
    expect(() => layerOfTransformerLensName(name)).toThrow(
      expect.objectContaining({ code: "layer_convention" }) as Error,
    );
  });

  it("a layer that the model does not have is refused", () => {
    expect(() => layerOfTransformerLensName("blocks.8.hook_resid_post", 8)).toThrow("no such block");
    expect(() => layerOfTransformerLensName("blocks.8.hook_resid_pre", 8)).toThrow("(8 blocks)");
  });

  it("C19: processed weights are refused where they change the residual stream", () => {
    expect(() => checkProcessedWeights("processed-layernorm")).toThrow(
      refusal("layer_convention", "centred"),
    );
    checkProcessedWeights("processed-rmsnorm");
    checkProcessedWeights("unprocessed");
  });
});
