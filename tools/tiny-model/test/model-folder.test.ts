import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { modelFolder, ratingChoices, verdictChoices } from "../src/index.ts";

const readJson = (name: string): unknown => JSON.parse(readFileSync(join(modelFolder, name), "utf8"));
const weights = readFileSync(join(modelFolder, "model.safetensors"));

interface SteeringRow {
  readonly layer: number;
  readonly scale: number;
  readonly falseToTrue: number;
  readonly trueToFalse: number;
  readonly valid: number;
  readonly randomTurned: number;
}

interface Figures {
  readonly modelSha256: string;
  readonly verdictAccuracy: { readonly heldOut: number };
  readonly ratingAccuracy: { readonly heldOut: number };
  readonly auroc: { readonly heldOut: readonly number[] };
  readonly chosen: SteeringRow;
}

test("the weights are small and are those that the figures were measured on", () => {
  expect(weights.byteLength).toBeLessThan(12 * 1024 * 1024);
  expect((readJson("figures.json") as Figures).modelSha256).toBe(
    createHash("sha256").update(weights).digest("hex"),
  );
});

test("each answer is one token, and texts begin with the begin token", () => {
  const { model, post_processor: processor } = readJson("tokenizer.json") as {
    model: { vocab: Record<string, number> };
    post_processor: { special_tokens: Record<string, { ids: number[] }> };
  };
  for (const choice of [...verdictChoices, ...ratingChoices]) {
    expect(model.vocab).toHaveProperty(choice.replace(" ", "Ġ"));
  }
  expect(processor.special_tokens["<s>"]?.ids).toEqual([
    (readJson("config.json") as { bos_token_id: number }).bos_token_id,
  ]);
});

test("the measured figures reach the goals", () => {
  const { verdictAccuracy, ratingAccuracy, auroc, chosen } = readJson("figures.json") as Figures;
  expect(verdictAccuracy.heldOut).toBeGreaterThanOrEqual(0.97);
  expect(ratingAccuracy.heldOut).toBeGreaterThanOrEqual(0.9);
  expect(auroc.heldOut[0]).toBeLessThanOrEqual(0.65);
  expect(Math.max(...auroc.heldOut.slice(1, -1))).toBeGreaterThanOrEqual(0.98);
  expect(Math.min(chosen.falseToTrue, chosen.trueToFalse)).toBeGreaterThanOrEqual(0.9);
  expect(chosen.valid).toBeGreaterThanOrEqual(0.95);
  expect(chosen.randomTurned).toBeLessThanOrEqual(0.05);
});
