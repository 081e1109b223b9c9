import { createHash } from "node:crypto";
import { z } from "zod";
import type { CheckedExamples } from "../examples/example.ts";
import { selectionSchema, type Selection } from "./select-rows.ts";

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** What a collection was asked for. Two runs with the same `hash` collect the same rows. */
export const planSchema = z.object({
  /** As sent. */
  model: z.string(),
  /** The name that the server's catalogue gives the weights; null when it gives none. */
  checkpoint: z.string().nullable(),
  layers: z.union([z.literal("all"), z.array(z.int().min(0)).min(1)]),
  selection: selectionSchema,
  maxTokens: z.int().min(1),
  /** How many there are, and the hash of ids, prompts, groups, labels and splits, in order. */
  examples: z.int().min(1),
  examplesHash: sha256,
  hash: sha256,
});
export type Plan = z.infer<typeof planSchema>;

export interface PlanOptions {
  model: string;
  checkpoint: string | undefined;
  layers: readonly number[] | "all";
  selection: Selection;
  maxTokens: number;
}

/** The plan of a collection, with its content hash. Layers are sorted: their order in the request changes nothing. */
export function makePlan({ examples }: CheckedExamples, options: PlanOptions): Plan {
  const rows = examples.map(({ id, prompt, group, labels, split }) => {
    const sorted = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));
    return JSON.stringify([id, prompt, group, sorted, split]);
  });
  const parts = {
    model: options.model,
    checkpoint: options.checkpoint ?? null,
    layers: options.layers === "all" ? ("all" as const) : [...options.layers].sort((a, b) => a - b),
    selection: options.selection,
    maxTokens: options.maxTokens,
    examples: examples.length,
    examplesHash: hashOf(rows),
  };
  return { ...parts, hash: planHash(parts) };
}

/** SHA-256 of the JSON of the parts, in the order of the schema. */
export function planHash(plan: Omit<Plan, "hash">): string {
  const { model, checkpoint, layers, selection, maxTokens, examples, examplesHash } = plan;
  return hashOf([JSON.stringify([model, checkpoint, layers, selection, maxTokens, examples, examplesHash])]);
}

/** Where two plans differ, in words, for the error that refuses the second one. */
export function planDifference(there: Plan, asked: Plan): string {
  const parts = ["model", "checkpoint", "layers", "selection", "maxTokens", "examples"] as const;
  const changed = parts.filter((part) => JSON.stringify(there[part]) !== JSON.stringify(asked[part]));
  const texts = changed.map((part) => `${part} ${short(there[part])}, not ${short(asked[part])}`);
  if (there.examplesHash !== asked.examplesHash && !changed.includes("examples")) {
    texts.push("other examples (ids, prompts, groups, labels or splits)");
  }
  return texts.join("; ");
}

function short(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

function hashOf(lines: readonly string[]): string {
  const hash = createHash("sha256");
  for (const line of lines) hash.update(`${line}\n`);
  return hash.digest("hex");
}
