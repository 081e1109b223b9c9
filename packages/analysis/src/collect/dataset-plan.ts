import { createHash } from "node:crypto";
import {
  type ChatSpan,
  InvalidRequestError,
  type LayerChoice,
  type LayerChoices,
  type ModelDescription,
} from "@residua/lens";
import { z } from "zod";
import type { CheckedExample } from "../examples/example.ts";
import { selectionSchema, type Selection } from "./select-rows.ts";

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** What a collection was asked for. Two runs with the same `hash` collect the same rows. */
export const planSchema = z.object({
  /** As sent. */
  model: z.string(),
  /** The name that the server's catalogue gives the weights; null when it gives none. */
  checkpoint: z.string().nullable(),
  layers: z.union([z.literal("all"), z.array(z.int().min(-1)).min(1)]),
  selection: selectionSchema,
  maxTokens: z.int().min(1),
  /** How many there are, and the hash of what each is, in order. */
  examples: z.int().min(1),
  examplesHash: sha256,
  /** Hash of the fingerprint that lens's self-test made of the server; null where there was none. */
  server: sha256.nullish(),
  /** What the chat template reads beside the messages, where an example has messages. */
  chat: z.record(z.string(), z.json()).nullish(),
  /** Of rollouts, what they are sampled and graded by; `examplesHash` follows from it, and this says it in words. */
  rollouts: z
    .object({
      n: z.int(),
      max_tokens: z.int(),
      temperature: z.number(),
      stop: z.union([z.string(), z.array(z.string())]).optional(),
      seed: z.int(),
      sampling: z.record(z.string(), z.json()),
      logprobs: z.boolean(),
      gradeVersion: z.string(),
      /** Of the examples that they are of. */
      examplesHash: sha256,
    })
    .nullish(),
  hash: sha256,
});
export type Plan = z.infer<typeof planSchema>;

export interface PlanOptions {
  model: string;
  checkpoint: string | undefined;
  layers: readonly number[] | "all";
  selection: Selection;
  maxTokens: number;
  server?: string | null;
  chat?: Record<string, unknown> | null;
}

/** What a rollout has beside what an example has. */
export interface RolloutFacts {
  /** Where its generated tokens begin in the prompt. */
  promptLength: number;
  /** What they say. */
  generatedText: string;
  /** The prompt and what was generated, where that is known. */
  text: string | null;
  /** Of a conversation, whose its tokens are; its prompt is the ids. */
  spans?: readonly ChatSpan[];
}

/** An example. A rollout is one too. */
export type PlannedExample = CheckedExample &
  Partial<RolloutFacts> & {
    /** What it is made of, where that is not itself: of a rollout how it is sampled and graded, whatever comes of it. */
    madeOf?: unknown;
  };

/** The plan of a collection, with its content hash. Layers are sorted: their order in the request changes nothing. */
export function makePlan({ examples }: { examples: readonly PlannedExample[] }, options: PlanOptions): Plan {
  const parts = {
    model: options.model,
    checkpoint: options.checkpoint ?? null,
    layers: options.layers === "all" ? ("all" as const) : [...options.layers].sort((a, b) => a - b),
    selection: options.selection,
    maxTokens: options.maxTokens,
    examples: examples.length,
    examplesHash: hashExamples(examples),
    server: options.server ?? null,
    ...(options.chat && { chat: options.chat as Plan["chat"] }),
  };
  return { ...parts, hash: planHash(parts) };
}

/** Hash of what each is, in order. */
export function hashExamples(examples: readonly PlannedExample[]): string {
  return hashOf(examples.map(exampleLine));
}

/** Of what the captured rows and the columns of an example follow. */
function exampleLine({ id, prompt, messages, group, labels, split, extra, madeOf }: PlannedExample): string {
  if (madeOf !== undefined) return JSON.stringify([id, madeOf]);
  const parts: unknown[] = [id, prompt, group, sorted(labels), split];
  if (messages !== null || Object.keys(extra).length > 0) parts.push(sorted(extra), messages);
  return JSON.stringify(parts);
}

function sorted(values: Readonly<Record<string, unknown>>): [string, unknown][] {
  return Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** SHA-256 of the JSON of the parts, in the order of the schema. Plans of before fingerprints have no `server`. */
export function planHash(plan: Omit<Plan, "hash">): string {
  const { model, checkpoint, layers, selection, maxTokens, examples, examplesHash, server, chat } = plan;
  const parts: unknown[] = [model, checkpoint, layers, selection, maxTokens, examples, examplesHash];
  if (server !== undefined) parts.push(server);
  if (chat != null) parts.push(chat);
  return hashOf([JSON.stringify(parts)]);
}

/** Whether a folder's plan is the one asked for. One of before fingerprints says nothing of the server. */
export function isSamePlan(there: Plan, asked: Plan): boolean {
  return there.hash === (there.server === undefined ? planHash({ ...asked, server: undefined }) : asked.hash);
}

/** Where two plans differ, in words, for the error that refuses the second one. */
export function planDifference(there: Plan, asked: Plan): string {
  const parts = [
    "model",
    "checkpoint",
    "layers",
    "selection",
    "maxTokens",
    "examples",
    "server",
    "chat",
  ] as const;
  const changed = parts.filter(
    (part) => JSON.stringify(there[part] ?? null) !== JSON.stringify(asked[part] ?? null),
  );
  const texts = changed.map((part) => `${part} ${short(there[part])}, not ${short(asked[part])}`);
  if (there.rollouts && asked.rollouts) texts.push(...rolloutDifference(there.rollouts, asked.rollouts));
  else if (there.examplesHash !== asked.examplesHash && !changed.includes("examples"))
    texts.push(there.rollouts || asked.rollouts ? `${otherExamples}, or rollouts of them` : otherExamples);
  return texts.join("; ");
}

const otherExamples = "other examples (ids, prompts, messages, groups, labels, splits or extra columns)";

type Rollouts = NonNullable<Plan["rollouts"]>;

function rolloutDifference(there: Rollouts, asked: Rollouts): string[] {
  const { examplesHash, ...ways } = { ...there, ...asked };
  const texts = (Object.keys(ways) as (keyof typeof ways)[])
    .filter((way) => JSON.stringify(there[way]) !== JSON.stringify(asked[way]))
    .map((way) => `rollouts of ${way} ${short(there[way])}, not ${short(asked[way])}`);
  return there.examplesHash === examplesHash ? texts : [...texts, otherExamples];
}

function short(value: unknown): string {
  const text = JSON.stringify(value ?? null);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

function hashOf(lines: readonly string[]): string {
  const hash = createHash("sha256");
  for (const line of lines) hash.update(`${line}\n`);
  return hash.digest("hex");
}

/** The layers by number, ascending; "all" of a model whose number of layers is not known. Throws InvalidRequestError. */
export function layerNumbers(
  asked: LayerChoices,
  { id, layers }: Pick<ModelDescription, "id" | "layers">,
): number[] | "all" {
  const count = layers.value;
  if (asked === "all") return count === undefined ? "all" : Array.from({ length: count }, (_, i) => i);
  const numbers = flat(asked as LayerChoice).map((choice) => {
    if (typeof choice === "number") return choice;
    if (count !== undefined) return Math.round(choice.depth * (count - 1));
    const allowed = `layers by number: the number of layers of ${id} is not known`;
    throw new InvalidRequestError(
      [{ field: "layers", given: `depth(${choice.depth})`, allowed }],
      "collect options",
    );
  });
  return [...new Set(numbers)].sort((a, b) => a - b);
}

function flat(choice: LayerChoice): (number | { readonly depth: number })[] {
  return Array.isArray(choice)
    ? (choice as readonly LayerChoice[]).flatMap(flat)
    : [choice as number | { readonly depth: number }];
}
