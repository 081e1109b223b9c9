import type { CaptureRate, LayerChoice, LayerChoices } from "@residua/lens";
import { z } from "zod";
import type { CollectProgress } from "./collect-progress.ts";
import type { CollectionPlan } from "./collection-plan.ts";
import { checkOptions } from "../options/check-options.ts";
import { pathSchema } from "../options/check-path.ts";
import { selectionData, selectionSchema, type Selection } from "./select-rows.ts";

/** How conversations become token ids: `lens.encodeChat` takes the same. */
export interface ChatOptions {
  add_generation_prompt?: boolean;
  chat_template_kwargs?: Readonly<Record<string, unknown>>;
}

export interface CollectOptions {
  /** Default: the server's only model. */
  model?: string;
  /**
   * Layer L is the output of decoder block L, 0-based, before the final norm; `layerRange` and `depth` choose too. Layer −1, the
   * token embeddings, only a local model has.
   */
  layers: LayerChoices;
  /** Which positions become rows. Default: `"last"`. */
  select?: Selection;
  /** Folder of the dataset. Made when it is not there. */
  to: string;
  /** Captures at a time. Default: 8. */
  concurrency?: number;
  signal?: AbortSignal;
  onProgress?: (progress: CollectProgress) => void;
  /** Told what the collection will come to, before the first request; what it throws ends the run. */
  onPlan?: (plan: CollectionPlan) => void | Promise<void>;
  /** A shard ends with the example that reaches this many rows (or 64 MiB). Default: 1024. */
  shardRows?: number;
  /** Tokens to generate; a capture has prompt + max_tokens − 1 positions. Default: 1. */
  max_tokens?: number;
  /** Of examples that are conversations. */
  chat?: ChatOptions;
  /** Folders of datasets, or of collections that have not ended, whose rows are taken where they are the same. */
  reuse?: readonly string[];
  /** Whether examples that failed in a run before are tried again. Default: true. */
  retryFailed?: boolean;
  /** The first example that fails ends the run with its error. Default: false. */
  failFast?: boolean;
  /** The run ends when more examples have failed. Default: 20 one after the other, or half of 40 and more. */
  maxFailures?: number;
  /** Whether the plan counts the tokens of texts by a tokenizer or the server, rather than by their bytes. Default: false. */
  countTokens?: boolean;
  /** What captures are known to take, such as `plan.rate` of an earlier plan. */
  rate?: CaptureRate;
}

const layerChoice: z.ZodType<LayerChoice> = z.union([
  z.int().min(-1),
  z.strictObject({ depth: z.number().min(0).max(1) }),
  z.array(z.lazy(() => layerChoice)).min(1),
]);
const layers = z.union(
  [
    z.literal("all"),
    z.strictObject({ depth: z.number().min(0).max(1) }),
    z.array(layerChoice).min(1).refine(isUnique, "each layer once"),
  ],
  '"all", { depth } from 0 to 1, or a list of at least one of: a whole number from -1, { depth }, a list of these',
);

const optionsSchema = z.strictObject({
  model: z.string().min(1).optional(),
  layers: layers.transform((choices) => choices as LayerChoices),
  select: selectionSchema.default("last"),
  to: pathSchema,
  concurrency: z.int().min(1).max(1024).default(8),
  signal: z.instanceof(AbortSignal).optional(),
  onProgress: z.custom<NonNullable<CollectOptions["onProgress"]>>(isFunction, "a function").optional(),
  onPlan: z.custom<NonNullable<CollectOptions["onPlan"]>>(isFunction, "a function").optional(),
  shardRows: z.int().min(1).default(1024),
  max_tokens: z.int().min(1).default(1),
  chat: z
    .strictObject({
      add_generation_prompt: z.boolean().optional(),
      chat_template_kwargs: z.record(z.string(), z.json()).optional(),
    })
    .default({}),
  reuse: z.array(pathSchema).default([]),
  retryFailed: z.boolean().default(true),
  failFast: z.boolean().default(false),
  maxFailures: z.int().min(0).optional(),
  countTokens: z.boolean().default(false),
  rate: z
    .custom<CaptureRate>(
      (value) => typeof value === "object" && value !== null,
      "what an earlier plan has as rate",
    )
    .optional(),
});
/** The options with their defaults. */
export type CollectSettings = z.infer<typeof optionsSchema>;

export function checkCollectOptions(options: CollectOptions): CollectSettings {
  const settings = checkOptions(optionsSchema, options, "collect options");
  selectionData(settings.select);
  return settings;
}

function isUnique(choices: readonly LayerChoice[]): boolean {
  const named = choices.flat().filter((choice) => typeof choice === "number");
  return new Set(named).size === named.length;
}

function isFunction(value: unknown): boolean {
  return typeof value === "function";
}
