import { describe, expect, it } from "vitest";
import type { StoredArray } from "../../../src/formats/arrays/stored-array.ts";
import { storeFloats } from "../../../src/formats/arrays/stored-floats.ts";
import { chosenTokens } from "../../../src/formats/origins/chosen-tokens.ts";
import {
  fromHuggingFaceHiddenStates,
  fromTransformerLens,
} from "../../../src/formats/origins/hidden-states.ts";
import type { PickleValue } from "../../../src/formats/pickle/pickle-value.ts";
import type { PtTensor } from "../../../src/formats/pt/pt-tensor.ts";
import { readPt } from "../../../src/formats/pt/read-pt.ts";
import { fixturePath } from "../fixture.ts";
import { refusal } from "../refusal.ts";
import { originTruth } from "./origin-truth.ts";

/** Largest difference of two rows over the largest number: padded and single runs sum in another order. */
function distance(row: ArrayLike<number>, truth: readonly number[]): number {
  const size = Math.max(...truth.map(Math.abs));
  return Math.max(...truth.map((value, i) => Math.abs(value - row[i]!))) / size;
}

async function huggingFace(side: string) {
  const read = (await readPt(fixturePath(`origins/huggingface/${side}.pt`))) as ReadonlyMap<
    string,
    PickleValue
  >;
  const hiddenStates = (read.get("hidden_states") as PtTensor[]).map((tensor) => tensor.stored());
  return { hiddenStates, attentionMask: (read.get("attention_mask") as PtTensor).stored() };
}

describe("hidden_states of transformers", () => {
  const truth = originTruth<number[][][]>("huggingface");

  it.each(["right", "left"])(
    "C21: the last token that is not padding, with padding on the %s, block by block",
    async (side) => {
      const { hiddenStates, attentionMask } = await huggingFace(side);
      const layers = fromHuggingFaceHiddenStates(hiddenStates, {
        layers: [0, 1],
        tokens: "last",
        attentionMask,
      });
      for (const { layer, count, width, rows } of layers) {
        expect([count, width]).toEqual([2, 16]);
        for (const example of [0, 1]) {
          const row = rows.subarray(example * width, (example + 1) * width);
          expect(distance(row, truth[example]![layer]!)).toBeLessThan(1e-5);
          // The neighbours in the list are other layers.
          expect(distance(row, truth[example]![layer + 1]!)).toBeGreaterThan(0.1);
        }
      }
    },
  );

  it("C18: the last layer, which transformers gives after the final norm, is an error", async () => {
    const { hiddenStates, attentionMask } = await huggingFace("right");
    const ask = (layer: number) => () =>
      fromHuggingFaceHiddenStates(hiddenStates, { layers: [layer], tokens: "last", attentionMask });
    expect(ask(2)).toThrow(refusal("layer_convention", "after the final norm"));
    expect(ask(-1)).toThrow(refusal("layer_convention", "counted from 0"));
    // It is indeed another row than the output of the last block.
    const final = hiddenStates[3]!;
    const row = new Float32Array(final.bytes.slice(4 * 16 * 4, 5 * 16 * 4).buffer);
    expect(distance(row, truth[0]![2]!)).toBeGreaterThan(0.1);
  });

  it("every token but padding, example after example", async () => {
    const { hiddenStates, attentionMask } = await huggingFace("left");
    const [all] = fromHuggingFaceHiddenStates(hiddenStates, { layers: [1], tokens: "all", attentionMask });
    expect(all!.count).toBe(8);
    expect(distance(all!.rows.subarray(7 * 16), truth[1]![1]!)).toBeLessThan(1e-5);
  });

  it("C20: several examples without a mask are refused: index -1 may be padding", async () => {
    const { hiddenStates } = await huggingFace("right");
    const ask = () => fromHuggingFaceHiddenStates(hiddenStates, { layers: [0], tokens: "last" });
    expect(ask).toThrow(refusal("format_missing", "which rows are padding cannot be told"));
  });
});

describe("chosenTokens", () => {
  const mask = (...values: number[]): StoredArray => ({
    dtype: "int64",
    shape: [1, values.length],
    bytes: new Uint8Array(BigInt64Array.from(values, BigInt).buffer),
  });

  it.each([
    ["no token that is not padding", mask(0, 0, 0)],
    ["padding between its tokens", mask(1, 0, 1)],
    ["other than 0 and 1", mask(1, 2, 0)],
    ["other than 0 and 1", mask(1, -1, 0)],
    ["expected int64 [1, 3]", mask(1, 1)],
    ["attentionMask is float32", { ...storeFloats(Float32Array.of(1, 1, 1), [1, 3]) }],
  ])("refuses a mask with %s", (problem, attentionMask) => {
    expect(() => chosenTokens({ tokens: "last", attentionMask }, 1, 3)).toThrow(
      refusal("format_invalid", problem),
    );
  });
});

describe("caches of TransformerLens", () => {
  const cacheOf = async (name: string) => {
    const read = (await readPt(fixturePath(`origins/transformer-lens/${name}.pt`))) as ReadonlyMap<
      string,
      PtTensor
    >;
    return new Map([...read].map(([hook, tensor]) => [hook, tensor.stored()]));
  };
  const options = { layers: [0, 1], tokens: "last", weights: "unprocessed" } as const;

  it.each(["LN", "RMS"])(
    "%s: layer by layer, from resid_post or from the resid_pre after it",
    async (norm) => {
      const truth = originTruth<number[][]>(`transformer-lens-${norm}-unprocessed`);
      const cache = await cacheOf(`${norm}-unprocessed`);
      const post = fromTransformerLens(cache, options);
      post.forEach(({ rows }, layer) => expect([...rows]).toEqual(truth[layer]));
      cache.delete("blocks.0.hook_resid_post");
      expect(fromTransformerLens(cache, options)).toEqual(post);
      cache.delete("blocks.1.hook_resid_pre");
      expect(() => fromTransformerLens(cache, options)).toThrow(refusal("format_missing", "neither"));
    },
  );

  it("C19: processing centres the stream of a LayerNorm model, which is refused, and not that of an RMSNorm model", async () => {
    const rowOf = async (name: string) => {
      const [first] = fromTransformerLens(await cacheOf(name), { ...options, layers: [1] });
      return first!.rows;
    };
    const mean = (row: Float32Array) => row.reduce((sum, value) => sum + value, 0) / row.length;
    expect(Math.abs(mean(await rowOf("LN-processed")))).toBeLessThan(1e-6);
    expect(Math.abs(mean(await rowOf("LN-unprocessed")))).toBeGreaterThan(1);
    expect(distance(await rowOf("RMS-processed"), [...(await rowOf("RMS-unprocessed"))])).toBeLessThan(1e-6);
    const cache = await cacheOf("LN-processed");
    const ask = () => fromTransformerLens(cache, { ...options, weights: "processed-layernorm" });
    expect(ask).toThrow(refusal("layer_convention", "from_pretrained_no_processing"));
  });
});
