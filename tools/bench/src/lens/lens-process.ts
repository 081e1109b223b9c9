import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import Module from "node:module";
import process from "node:process";
import { createClient } from "@residua/client";
import { createLens, decodeActivations, encodeTensor, steeringVector, tensorValues } from "@residua/lens";
import { peakMemory } from "../peak-memory.ts";
import type { LensTask, LensTaskResult } from "./lens-task.ts";

// A process in which nothing but lens runs. `lens-process.mjs [wasm]`: with it, as if the optional native module were not there.

if (process.argv[2] === "wasm") {
  const resolver = Module as unknown as { _resolveFilename: (name: string, ...rest: unknown[]) => string };
  const resolve = resolver._resolveFilename.bind(Module);
  resolver._resolveFilename = (name, ...rest) => {
    if (name === "@mongodb-js/zstd") throw new Error(`${name} is hidden`);
    return resolve(name, ...rest);
  };
}

const pieceSize = 2 ** 20;
let body: Uint8Array = Buffer.alloc(0);
let vector = new Float32Array(0);

const local = { baseURL: "http://localhost:1/v1", apiKey: "key" };

/** The client as it is, but for the socket: the answer comes in pieces. */
const client = createClient({
  ...local,
  fetch: () => {
    let at = 0;
    const pieces = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (at >= body.length) return controller.close();
        controller.enqueue(body.subarray(at, (at += pieceSize)));
      },
    });
    const headers = { "content-type": "application/json", "content-length": String(body.length) };
    return Promise.resolve(new Response(pieces, { headers }));
  },
});

/** float32 rows of one layer after the other; each is gone when the next one comes. */
async function decode(onLayer: (rows: Float32Array) => void): Promise<void> {
  const answer = await client.request({ method: "POST", path: "/completions", body: {} });
  const { residual_stream: tensor } = (await decodeActivations(answer.body)).tensors;
  const [layers = 0, positions = 0, hiddenSize = 0] = tensor!.shape;
  const size = positions * hiddenSize;
  const rows = new Float32Array(size);
  for (let i = 0; i < layers; i++) onLayer(tensorValues(tensor!, i * size, (i + 1) * size, rows));
}

function encode(): Uint8Array {
  const activations = encodeTensor(vector, [vector.length / 4096, 4096]);
  const layer_indices = Array.from({ length: vector.length / 4096 }, (_, layer) => layer);
  const steering = { activations, layer_indices, scale: 1, norm_match: false };
  return Buffer.from(
    JSON.stringify({ model: "m", prompt: "p", apply_steering_vectors: [steering] }),
    "latin1",
  );
}

const completion = {
  id: "cmpl-1",
  object: "text_completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, text: " a", logprobs: null, finish_reason: "length" }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};
const models = {
  object: "list",
  data: [{ id: "m", object: "model", capabilities: { n_layers: 64, hidden_size: 4096 } }],
};
/** A lens whose requests are made whole, and answered on the spot. */
const steered = createLens(
  createClient({
    ...local,
    fetch: (_, init) => Promise.resolve(Response.json(init?.method === "POST" ? completion : models)),
  }),
);

/** The vector as eight, each of a row for each layer. */
function steeringVectors() {
  return Array.from({ length: 8 }, (_, v) => {
    const row = (layer: number) => vector.subarray((v * 64 + layer) * 4096, (v * 64 + layer + 1) * 4096);
    return steeringVector({ rows: Object.fromEntries(Array.from({ length: 64 }, (_, l) => [l, row(l)])) });
  });
}

/** The most bytes taken for one verified capture over HTTP, from the socket to the rows of each layer in turn. */
async function capture({ url, tokens }: { url: string; tokens: number }): Promise<number> {
  const real = createClient({ baseURL: url, apiKey: "key" });
  const lens = createLens(real);
  await lens.describe();
  globalThis.gc!();
  const before = process.memoryUsage.rss();
  const prompt = Array.from({ length: tokens }, (_, i) => i);
  const captured = await lens.capture({ prompt, layers: "all" });
  const rows = new Float32Array(captured.positions * captured.hiddenSize);
  let total = 0;
  for (const layer of captured.layers) total += captured.layer(layer, rows)[0]!;
  if (Number.isNaN(total)) throw new Error("a capture with NaN");
  await real.close();
  return peakMemory() - before;
}

async function run(task: LensTask): Promise<LensTaskResult> {
  if (task.do === "load") {
    body = readFileSync(task.file);
    vector = Float32Array.from({ length: task.numbers }, (_, i) => Math.sin(i));
    const rows = createHash("sha256");
    await decode((layer) => void rows.update(layer));
    const { data } = encodeTensor(vector, [vector.length]);
    return { rows: rows.digest("hex"), vector: createHash("sha256").update(data).digest("hex") };
  }
  if (task.do === "capture") return { figure: await capture(task) };
  const steering = task.do === "steer" ? steeringVectors() : [];
  const began = performance.now();
  if (task.do === "steer") await steered.generate({ prompt: [1], max_tokens: 1, steering });
  else if (task.do === "decode") await decode(() => undefined);
  else encode();
  return { figure: performance.now() - began };
}

process.on("message", (task: LensTask) => {
  void run(task).then((result) => process.send!(result));
});
process.send!({ ready: true });
