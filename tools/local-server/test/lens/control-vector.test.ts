import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { loadModel, type Model } from "@residua/engine";
import { readControlVector } from "@residua/lens";
import { afterAll, beforeAll, expect, it } from "vitest";

const path = (name: string) => fileURLToPath(new URL(`../../../../${name}`, import.meta.url));
const fixtures = "packages/lens/fixtures/formats/gguf";

/** See make_gguf.py beside it. */
interface ReadBack {
  tokens: number[];
  "llama.cpp": { base: number[]; steered: number[] };
}

let model: Model;
let readBack: ReadBack;
beforeAll(async () => {
  model = await loadModel(path("tools/engine/fixtures/gguf/llama.gguf"));
  readBack = JSON.parse(await readFile(path(`${fixtures}/read-back.json`), "utf8")) as ReadBack;
});
afterAll(() => model.dispose());

/** The last token's log probabilities, with the control vector's rows added at its layers + `shift`. */
async function steered(shift: number, scale = 1): Promise<number[]> {
  const { directions } = await readControlVector(path(`${fixtures}/repeng.gguf`));
  const { hiddenSize, vocabSize } = model.config;
  const rows = new Float32Array(directions.length * hiddenSize);
  directions.forEach(({ vector }, i) => rows.set(vector, i * hiddenSize));
  const layers = directions.map(({ layer }) => layer + shift);
  const [generation] = await model.generate([
    {
      prompt: readBack.tokens,
      maxTokens: 1,
      temperature: 0,
      logprobs: vocabSize,
      steering: [{ layers, rows, positions: null, scale, normMatch: false }],
    },
  ]);
  const { top } = generation!.choices[0]!.logprobs![0]!;
  return [...top].sort((a, b) => a.token - b.token).map(({ logprob }) => logprob);
}

function logSoftmax(scores: readonly number[]): number[] {
  const highest = Math.max(...scores);
  const normaliser = highest + Math.log(scores.reduce((sum, score) => sum + Math.exp(score - highest), 0));
  return scores.map((score) => score - normaliser);
}

/** ‖a − b‖ / ‖b‖. */
function relativeDistance(a: readonly number[], b: readonly number[]): number {
  return Math.hypot(...a.map((value, i) => value - b[i]!)) / Math.hypot(...b);
}

it("direction.N is added where layer N is, as llama.cpp adds it, and not one layer before", async () => {
  const { base, steered: by } = readBack["llama.cpp"];
  // llama.cpp rounds activations to 8 bits before it multiplies with quantised weights, and the engine does not.
  const noise = relativeDistance(await steered(0, 0), logSoftmax(base));
  expect(noise).toBeLessThan(0.005);
  expect(relativeDistance(await steered(0), logSoftmax(by))).toBeLessThan(0.005);
  expect(relativeDistance(await steered(-1), logSoftmax(by))).toBeGreaterThan(0.02);
  expect(relativeDistance(await steered(0, 0), logSoftmax(by))).toBeGreaterThan(0.02);
});
