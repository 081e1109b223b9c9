import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { defaultLimits, Scheduler } from "../src/scheduler.ts";
import { endlessTiny, fixtureJson, tinyModel } from "./support.ts";

interface Reference {
  modelSha256: string;
  cases: { text: string; ids: number[]; greedy: number[]; smallestMargin: number }[];
}

test("the greedy tokens of 50 prompts are transformers', run together, and again from the prefix cache", async () => {
  const { modelSha256, cases } = await fixtureJson<Reference>("tiny-greedy.json");
  const weights = await readFile(join(tinyModel, "model.safetensors"));
  expect(createHash("sha256").update(weights).digest("hex")).toBe(modelSha256);
  expect(cases.length).toBe(50);
  const { network, tokenizer } = await endlessTiny();
  expect(cases.map(({ text }) => tokenizer.encode(text))).toEqual(cases.map(({ ids }) => ids));
  const scheduler = new Scheduler(network, tokenizer, defaultLimits(network));
  const run = () =>
    Promise.all(
      cases.map(({ ids, greedy }) =>
        scheduler.submit({ prompt: ids, maxTokens: greedy.length, temperature: 0 }),
      ),
    );
  for (const generations of [await run(), await run()]) {
    const tokens = generations.map(({ choices }) => choices[0]!.tokens);
    expect(tokens).toEqual(cases.map(({ greedy }) => greedy));
  }
  expect(scheduler.stats.prefixHits).toBeGreaterThan(0);
});
