import * as tf from "@tensorflow/tfjs-core";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { startBackend, tensorCount } from "../src/backend.ts";
import type { Network } from "../src/forward.ts";
import { forward } from "../src/forward.ts";
import { createKvCache } from "../src/kv-cache.ts";
import { loadModel } from "../src/model.ts";
import { Scheduler, defaultLimits } from "../src/scheduler.ts";
import type { Tokenizer } from "../src/tokenizer.ts";
import { disposeWeights } from "../src/weights.ts";
import { mixedRequests } from "./mixed-requests.ts";
import { needsNative } from "./native-support.ts";
import {
  endlessTiny,
  familyModel,
  fixtureJson,
  fixtureTensors,
  loadNetwork,
  oddModel,
  runAll,
  tinyModel,
  worstRow,
} from "./support.ts";

/** ‖difference‖ / ‖reference‖ of any row, float32 against float32: as on WebAssembly. */
const tolerance = 1e-3;

let network: Network;
let tokenizer: Tokenizer;
const there = needsNative();
beforeAll(async () => {
  if (there) ({ network, tokenizer } = await endlessTiny("native"));
});

const make = () => new Scheduler(network, tokenizer, defaultLimits(network));

describe("against transformers", () => {
  const agrees = (of: Network, tokens: number[], logits: Float32Array, residual: Float32Array) => {
    const found = runAll(of, tokens);
    const { hiddenSize, layers, vocabSize } = of.config;
    expect(worstRow(found.logits, logits, vocabSize)).toBeLessThanOrEqual(tolerance);
    const size = residual.length / layers;
    found.residual.forEach((values, layer) => {
      const own = residual.subarray(layer * size, (layer + 1) * size);
      expect(worstRow(values, own, hiddenSize)).toBeLessThanOrEqual(tolerance);
      if (layer > 0) {
        expect(worstRow(found.residual[layer - 1]!, own, hiddenSize)).toBeGreaterThan(10 * tolerance);
      }
    });
  };

  test("the tiny model's logits and streams agree in every row and layer", async () => {
    const { cases } = await fixtureJson<{ cases: { number: number; ids: number[] }[] }>(
      "tiny-reference.json",
    );
    const tensors = await fixtureTensors("tiny-reference.safetensors");
    const of = (name: string) => tensors.get(name) as Float32Array;
    expect(cases).toHaveLength(20);
    for (const { number, ids } of cases)
      agrees(network, ids, of(`logits.${number}`), of(`residual.${number}`));
  });

  test("a model whose sizes all differ, and one of each family, agree", async () => {
    const odd = await fixtureTensors("odd-reference.safetensors");
    const families = await fixtureTensors("families-reference.safetensors");
    const parts = (tensors: typeof odd, prefix: string) =>
      (["tokens", "logits", "residual"] as const).map((part) => tensors.get(prefix + part)!);
    for (const [folder, tensors, prefix] of [
      [oddModel, odd, ""],
      ...["llama3", "qwen2", "mistral"].map((name) => [familyModel(name), families, `${name}.`] as const),
    ] as const) {
      const [tokens, logits, residual] = parts(tensors, prefix) as [Int32Array, Float32Array, Float32Array];
      agrees(await loadNetwork(folder, "native"), [...tokens], logits, residual);
    }
  });

  test("the greedy tokens of 50 prompts are transformers', run together", async () => {
    const { cases } = await fixtureJson<{ cases: { ids: number[]; greedy: number[] }[] }>("tiny-greedy.json");
    const scheduler = make();
    const generations = await Promise.all(
      cases.map(({ ids, greedy }) =>
        scheduler.submit({ prompt: ids, maxTokens: greedy.length, temperature: 0 }),
      ),
    );
    expect(generations.map(({ choices }) => choices[0]!.tokens)).toEqual(cases.map(({ greedy }) => greedy));
  });
});

describe("packing", () => {
  test("requests that share passes give the same bits as alone: tokens, log probabilities, captures", async () => {
    const together = make();
    const packed = await Promise.all(mixedRequests().map((request) => together.submit(request)));
    for (const [i, request] of mixedRequests().entries()) {
      expect(packed[i]).toEqual(await make().submit(request));
    }
  });

  test("a prompt run in parts through the cache equals one pass, bit by bit", () => {
    const ids = Array.from({ length: 40 }, (_, i) => (i * 37) % 900);
    const whole = runAll(network, ids);
    const cache = createKvCache(network.config, ids.length);
    const scores: number[] = [];
    let start = 0;
    for (const count of [1, 5, 1, 16, 17]) {
      const tokens = ids.slice(start, start + count);
      const segment = { tokens, start, cache, steering: null, recorder: null, logits: "all" as const };
      scores.push(...forward(network, [segment])[0]!);
      start += count;
    }
    expect(start).toBe(ids.length);
    expect(Float32Array.from(scores)).toEqual(whole.logits);
  });

  test("the same holds where the processor's kernels add in another order for other numbers of rows", (context) => {
    const script = `
      const { packedEqualsAlone } = await import(${JSON.stringify(join(import.meta.dirname, "packing-trial.ts"))});
      console.log(JSON.stringify(await packedEqualsAlone()));`;
    const args = ["--import", "tsx", "--conditions=@residua/source", "--input-type=module", "-e", script];
    const env = { ...process.env, ONEDNN_MAX_CPU_ISA: "AVX2" };
    const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", env });
    if (stdout === "") throw new Error(stderr);
    const { equal, block } = JSON.parse(stdout) as { equal: boolean; block: number | null };
    expect(equal).toBe(true);
    if (block === null) context.skip("this processor's AVX2 kernels add in one order");
    expect([16, 1]).toContain(block);
  });
});

describe("beside others", () => {
  test("both backends run in one process, and tfjs's own active backend stays", async () => {
    const before = tf.getBackend();
    const [native, wasm] = [network, (await endlessTiny("wasm")).network];
    const ids = [0, 265, 313, 295];
    const [first, second] = [runAll(native, ids), runAll(wasm, ids)];
    expect(worstRow(first.logits, second.logits, native.config.vocabSize)).toBeLessThanOrEqual(1e-4);
    expect(tf.getBackend()).toBe(before);
  });

  test("no tensor stays behind a request or a model", async () => {
    const before = tensorCount();
    const model = await loadModel(tinyModel, { backend: "native" });
    expect(model.backend).toEqual({ name: "native", device: "CPU, TensorFlow" });
    const held = tensorCount();
    expect(held).toBe(before + 4 * model.config.layers + 1);
    for (let i = 0; i < 20; i++) await model.generate([{ prompt: [0, 5, 9], maxTokens: 4, seed: i }]);
    expect(tensorCount()).toBe(held);
    await model.dispose();
    expect(tensorCount()).toBe(before);
  });

  test("a thousand products leave the memory where it was", async () => {
    const backend = await startBackend("native");
    const [inputs, outputs] = [128, 1024];
    const matrix = backend.createMatrix(new Float32Array(inputs * outputs).fill(1), inputs, outputs);
    const rows = new Float32Array(32 * inputs).fill(1);
    const step = () => expect(matrix.multiply(rows)[32 * outputs - 1]).toBe(inputs);
    for (let i = 0; i < 300; i++) step();
    const before = process.memoryUsage.rss();
    for (let i = 0; i < 1000; i++) step();
    // One product's result, kept each time, would be 128 MiB.
    expect(process.memoryUsage.rss() - before).toBeLessThan(48 << 20);
    matrix.dispose();
  });

  test("dispose frees the weights", async () => {
    const before = tensorCount();
    const other = await loadNetwork(tinyModel, "native");
    expect(tensorCount()).toBeGreaterThan(before);
    disposeWeights(other.weights);
    expect(tensorCount()).toBe(before);
  });
});
