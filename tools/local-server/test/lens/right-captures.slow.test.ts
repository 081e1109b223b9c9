import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createClient } from "@residua/client";
import { createLens, type Lens, steeringVector } from "@residua/lens";
import { loadModel, type Model } from "@residua/engine";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { start, tinyModel, type Running } from "../support.ts";

const smollm2 = fileURLToPath(new URL("../../../../.cache/smollm2", import.meta.url));

/** Numbers from 0 to 2³² − 1 that a seed fixes (mulberry32). */
function numbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return (t ^ (t >>> 14)) >>> 0;
  };
}

/** Captures of a right server: what is said against each that is refused. */
async function accused(lens: Lens<"acs" | "vllm">, asked: readonly object[]): Promise<string[]> {
  const found: string[] = [];
  for (const one of asked) {
    try {
      await lens.capture({ max_tokens: 1, ...one } as Parameters<typeof lens.capture>[0]);
    } catch (error) {
      found.push(`${JSON.stringify(one).slice(0, 80)}: ${(error as Error).message.slice(0, 120)}`);
    }
  }
  return found;
}

describe.each([
  { name: "tiny", folder: tinyModel, profile: "acs", width: 96, many: 100 },
  { name: "tiny", folder: tinyModel, profile: "vllm", width: 96, many: 20 },
  { name: "smollm2", folder: smollm2, profile: "vllm", width: 576, many: 15 },
] as const)(
  "no capture of a right server is refused: $name, $profile",
  { timeout: 300_000 },
  ({ name, folder, profile, width, many }) => {
    let model: Model;
    let running: Running;
    let lens: Lens<"acs" | "vllm">;
    const here = existsSync(folder);
    beforeAll(async () => {
      if (!here) return;
      model = await loadModel(folder);
      running = await start({ model, profile });
      lens = createLens(createClient({ baseURL: running.server.url, apiKey: "", profile, maxRetries: 0 }));
    });
    afterAll(async () => {
      await running?.close();
      await model?.dispose();
    });

    const layers = name === "tiny" ? [0, 1, 2, 3, 4] : [0, 10, 20];
    const long = name === "tiny" ? 400 : 40;

    test.skipIf(!here)("prompts with a pattern", async () => {
      const asked = Array.from({ length: many }, (_, i) => ({
        prompt: Array.from({ length: long }, (_, j) => 20 + ((i + j * 7) % 800)),
        layers,
      }));
      expect(await accused(lens, asked)).toEqual([]);
    });

    test.skipIf(!here)(
      "random prompts, short and long, of few tokens and of many, with generated ones",
      async () => {
        const next = numbers(7);
        const asked = Array.from({ length: many }, () => {
          const kinds = [3, 12, 60, 800][next() % 4]!;
          const from = next() % 2 === 0 ? 2 : 20;
          const length = 2 + (next() % (next() % 2 === 0 ? 12 : 60));
          return {
            prompt: Array.from({ length }, () => from + (next() % kinds)),
            layers,
            max_tokens: 1 + (next() % 6),
          };
        });
        expect(
          await accused(lens, [
            { prompt: [12, 2, 10, 13, 3, 11, 12, 2, 10], layers, max_tokens: 3 },
            ...asked,
          ]),
        ).toEqual([]);
      },
    );

    test.skipIf(!here)("tokens that share embeddings in SmolLM2-135M", async () => {
      const next = numbers(11);
      const alike = [5, 9, 11, 7, 8, 10, 13, 15, 16, 12, 14];
      const asked = Array.from({ length: many }, () => ({
        prompt: Array.from({ length: 3 + (next() % 10) }, () => alike[next() % alike.length]!),
        layers,
      }));
      const first = [
        { prompt: [16, 16, 5], layers },
        { prompt: [8, 8, 5], layers },
      ];
      expect(await accused(lens, [...first, ...asked])).toEqual([]);
    });

    test.skipIf(!here)("steered, so strongly that rows of all tokens are one", async () => {
      const row = Float32Array.from({ length: width }, (_, i) => Math.sin(1.3 * i + 1));
      const asked = [1, 1000, 1e6].flatMap((scale) =>
        [
          "The city of Rome is in Asia.",
          "Dogs like to run and eat a lot.",
          "A whale is a big fish, say the",
        ].map((prompt) => ({
          prompt,
          layers,
          max_tokens: 3,
          steering: [steeringVector({ rows: { 3: row }, scale })],
        })),
      );
      expect(await accused(lens, asked)).toEqual([]);
    });
  },
);
