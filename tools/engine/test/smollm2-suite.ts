import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { BackendName } from "../src/backend.ts";
import type { Network } from "../src/forward.ts";
import { openModelFiles } from "../src/model-files.ts";
import { Scheduler } from "../src/scheduler.ts";
import type { Tokenizer } from "../src/tokenizer.ts";
import { disposeWeights } from "../src/weights.ts";
import { fixtureJson, fixtureTensors, loadNetwork, rowErrors, runAll, worstRow } from "./support.ts";

interface Reference {
  sha256: Record<string, string>;
  layers: { number: number; text: string; ids: number[] }[];
  greedy: { text: string; ids: number[]; greedy: number[]; smallestMargin: number }[];
  tokenizer: { text: string; ids: number[]; decoded: string }[];
}
type Tensors = Awaited<ReturnType<typeof fixtureTensors>>;

/** The folder that `npm run smollm2` makes. */
const folder = process.env["RESIDUA_SMOLLM2"];
const unavailable =
  process.env["RESIDUA_SMOLLM2_UNAVAILABLE"] ??
  "RESIDUA_SMOLLM2 is not set; RESIDUA_SMOLLM2=$(npm run --silent smollm2) makes the model's folder and names it";

/** ‖difference‖ / ‖reference‖ of any row, float32 against float32. */
const tolerance = 1e-3;
/**
 * Against a server that computes in bfloat16: the mean of that over a layer's rows, so that the first position, whose
 * row is a hundred times the others', hides none. A single row may differ by more: up to 4.5 % at layer 9.
 */
const bf16Tolerance = { layer: 0.03, row: 0.05 };

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const rowsAt = (values: Float32Array, positions: Iterable<number>, width: number) =>
  Float32Array.from([...positions].flatMap((at) => [...values.subarray(at * width, (at + 1) * width)]));

/** What SmolLM2-135M must do on a backend; `there` says whether the backend can run. */
export function smolLm2Suite(backend: BackendName, { there }: { there: boolean }): void {
  const run = there ? folder : undefined;
  let network: Network;
  let tokenizer: Tokenizer;
  let scheduler: Scheduler;
  let reference: Reference;
  let tensors: Tensors;

  beforeAll(async () => {
    if (!run) return;
    [reference, tensors] = await Promise.all([
      fixtureJson<Reference>("smollm2-reference.json"),
      fixtureTensors("smollm2-reference.safetensors"),
    ]);
    network = await loadNetwork(run, backend);
    const { readTokenizer, checkpoint } = await openModelFiles(run);
    tokenizer = await readTokenizer();
    await checkpoint.close();
    scheduler = new Scheduler(network, tokenizer);
  }, 300_000);
  beforeEach((context) => context.skip(!folder, unavailable));
  afterAll(async () => {
    if (!run) return;
    await scheduler.close();
    disposeWeights(network.weights);
  });

  const floats = (of: Tensors, name: string) => of.get(name) as Float32Array;
  /** Layer `layer` of an array [layers, …]. */
  const layerOf = (all: Float32Array, layer: number) => {
    const size = all.length / network.config.layers;
    return all.subarray(layer * size, (layer + 1) * size);
  };
  describe("against transformers in float32 on SmolLM2-135M", { timeout: 300_000 }, () => {
    test.each(["model.safetensors", "tokenizer.json"])(
      "the fixtures were made from this %s",
      async (name) => {
        const hash = createHash("sha256");
        await pipeline(createReadStream(join(folder!, name)), hash);
        expect(hash.digest("hex")).toBe(reference.sha256[name]);
      },
    );

    test("texts have the same ids, and read back as the same text", () => {
      for (const { text, ids, decoded } of reference.tokenizer) {
        expect(tokenizer.encode(text), JSON.stringify(text)).toEqual(ids);
        expect(tokenizer.decode(ids, { skipSpecialTokens: false })).toBe(decoded);
      }
      for (const { text, ids } of [...reference.layers, ...reference.greedy])
        expect(tokenizer.encode(text)).toEqual(ids);
    });

    test("the residual of each layer and the logits agree in every row, and not shifted by one layer", () => {
      for (const { number, ids } of reference.layers) {
        const { hiddenSize, layers, vocabSize } = network.config;
        const { residual, logits } = runAll(network, ids);
        const positions = tensors.get(`positions.${number}`) as Int32Array;
        const rows = residual.map((values) => rowsAt(values, positions, hiddenSize));
        for (let layer = 0; layer < layers; layer++) {
          const expected = layerOf(floats(tensors, `residual.${number}`), layer);
          expect(expected.length).toBe(positions.length * hiddenSize);
          expect(worstRow(rows[layer]!, expected, hiddenSize)).toBeLessThanOrEqual(tolerance);
          if (layer > 0) {
            expect(worstRow(rows[layer - 1]!, expected, hiddenSize)).toBeGreaterThan(10 * tolerance);
          }
        }
        const last = logits.subarray(logits.length - vocabSize);
        expect(worstRow(last, floats(tensors, `logits.${number}`), vocabSize)).toBeLessThanOrEqual(tolerance);
      }
    });

    test("a prompt that is run in parts has the same streams", async () => {
      const { number, ids } = reference.layers.at(-1)!;
      const capture = Array.from({ length: network.config.layers }, (_, layer) => layer);
      const generated = await scheduler.submit({ prompt: ids, maxTokens: 1, temperature: 0, capture });
      const positions = tensors.get(`positions.${number}`) as Int32Array;
      generated.capture!.values.forEach((values, layer) => {
        const rows = rowsAt(values, positions, network.config.hiddenSize);
        const expected = layerOf(floats(tensors, `residual.${number}`), layer);
        expect(worstRow(rows, expected, network.config.hiddenSize)).toBeLessThanOrEqual(tolerance);
      });
    });

    test("greedy tokens are equal on 50 prompts, run together", async () => {
      expect(reference.greedy.length).toBe(50);
      const generations = await Promise.all(
        reference.greedy.map(({ ids, greedy }) =>
          scheduler.submit({ prompt: ids, maxTokens: Math.max(greedy.length, 16), temperature: 0 }),
        ),
      );
      const chosen = generations.map(({ choices: [choice] }, i) => ({
        text: reference.greedy[i]!.text,
        greedy: choice!.tokens,
      }));
      expect(chosen).toEqual(reference.greedy.map(({ text, greedy }) => ({ text, greedy })));
    });
  });

  describe("against the streams of a vLLM server with vllm-lens, in bfloat16", { timeout: 300_000 }, () => {
    test.each(["short", "story"])("%s: each layer within 3 %, and not shifted by one layer", async (name) => {
      const recorded = await fixtureTensors("smollm2-vllm-lens.safetensors");
      const { hiddenSize, layers } = network.config;
      // The last token was never run.
      const tokens = [...(recorded.get(`${name}.tokens`) as Int32Array)].slice(0, -1);
      const { residual } = runAll(network, tokens);
      for (let layer = 0; layer < layers; layer++) {
        const expected = layerOf(floats(recorded, `${name}.residual`), layer);
        expect(residual[layer]!.length).toBe(expected.length);
        const errors = rowErrors(residual[layer]!, expected, hiddenSize);
        expect(mean(errors)).toBeLessThanOrEqual(bf16Tolerance.layer);
        expect(Math.max(...errors)).toBeLessThanOrEqual(bf16Tolerance.row);
        if (layer > 0) {
          const shifted = mean(rowErrors(residual[layer - 1]!, expected, hiddenSize));
          expect(shifted).toBeGreaterThan(3 * bf16Tolerance.layer);
        }
      }
    });
  });
}
