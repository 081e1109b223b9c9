import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { startBackend, type BackendName } from "../src/backend.ts";
import { readFolderJson } from "../src/checkpoint.ts";
import { decodeFloats, type FloatFormat } from "../src/float-formats.ts";
import { forward, type Network, type Segment } from "../src/forward.ts";
import { createKvCache } from "../src/kv-cache.ts";
import { openModelFiles } from "../src/model-files.ts";
import { recordResidual } from "../src/residual-capture.ts";
import { ropeTable } from "../src/rope.ts";
import { openSafetensors } from "../src/safetensors.ts";
import { planSteering, type SteeringVector } from "../src/steering.ts";
import { createTokenizer, type Tokenizer } from "../src/tokenizer.ts";
import { loadWeights } from "../src/weights.ts";

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

export const tinyModel = path("../../tiny-model/model");
export const oddModel = path("../fixtures/odd-llama");
export const ggufModel = (name: string) => path(`../fixtures/gguf/${name}.gguf`);
export const familyModel = (name: string) => path(`../fixtures/families/${name}`);

export async function fixtureJson<T>(name: string): Promise<T> {
  return JSON.parse(await readFile(path(`../fixtures/${name}`), "utf8")) as T;
}

/** The tensors of a fixture file by name, float32; int32 ones as numbers. */
export async function fixtureTensors(name: string): Promise<Map<string, Float32Array | Int32Array>> {
  const file = await openSafetensors(path(`../fixtures/${name}`), name);
  const tensors = new Map<string, Float32Array | Int32Array>();
  for (const [tensor, { dtype }] of file.entries) {
    const bytes = await file.read(tensor);
    tensors.set(
      tensor,
      dtype === "I32" ? new Int32Array(bytes.buffer) : decodeFloats(bytes, dtype as FloatFormat),
    );
  }
  await file.close();
  return tensors;
}

/** A model folder or GGUF file as the bare network, without its tokenizer. */
export async function loadNetwork(path: string, name: BackendName = "wasm"): Promise<Network> {
  const { config, checkpoint } = await openModelFiles(path);
  const weights = await loadWeights(checkpoint, config, await startBackend(name));
  await checkpoint.close();
  return { config, weights, rope: ropeTable(config) };
}

/** The tiny model without end tokens, so that every request runs as long as it asks. */
export async function endlessTiny(name?: BackendName): Promise<{ network: Network; tokenizer: Tokenizer }> {
  const network = await loadNetwork(tinyModel, name);
  const tokenizer = createTokenizer(
    await readFolderJson(tinyModel, "tokenizer.json", ""),
    await readFolderJson(tinyModel, "tokenizer_config.json", ""),
  );
  return { network: { ...network, config: { ...network.config, eosTokenIds: [] } }, tokenizer };
}

/** Runs tokens from an empty cache in one pass: every score and the residual stream of every layer. */
export function runAll(
  network: Network,
  tokens: readonly number[],
  steering: readonly SteeringVector[] = [],
) {
  const { config } = network;
  const layers = Array.from({ length: config.layers }, (_, layer) => layer);
  const recorder = recordResidual(layers, tokens.length, config.hiddenSize);
  const segment: Segment = {
    tokens,
    start: 0,
    cache: createKvCache(config, tokens.length),
    steering: steering.length === 0 ? null : planSteering(steering, config.hiddenSize),
    recorder,
    logits: "all",
  };
  const [logits] = forward(network, [segment]);
  return { logits: logits!, residual: recorder.finish(tokens.length).values };
}

/** ‖difference‖ / ‖reference‖ of each row of two [rows, width] arrays. */
export function rowErrors(actual: Float32Array, reference: Float32Array, width: number): number[] {
  return Array.from({ length: reference.length / width }, (_, row) => {
    let difference = 0;
    let size = 0;
    for (let i = row * width; i < (row + 1) * width; i++) {
      difference += (actual[i]! - reference[i]!) ** 2;
      size += reference[i]! ** 2;
    }
    return Math.sqrt(difference / size);
  });
}

/** The largest ‖difference‖ / ‖reference‖ of the rows of two [rows, width] arrays; NaN if one of them is. */
export function worstRow(actual: Float32Array, reference: Float32Array, width: number): number {
  return Math.max(...rowErrors(actual, reference, width));
}

/** A repeatable vector of about normal numbers. */
export function someVector(length: number, seed: number): Float32Array {
  return Float32Array.from({ length }, (_, i) => 2 * Math.sin(seed * 12.9898 + i * 78.233 + (i % 7) * seed));
}
