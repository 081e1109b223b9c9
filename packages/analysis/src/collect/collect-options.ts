import { InvalidRequestError } from "@residua/lens";
import { z } from "zod";
import { selectionSchema, type Selection } from "./select-rows.ts";

export interface CollectProgress {
  /** Examples whose rows are in order, on disk or in hand. */
  done: number;
  total: number;
  /** Of those, how many an earlier run had captured. */
  reused: number;
  rows: number;
  /** Finished shards. */
  shards: number;
}

export interface CollectOptions {
  /** Default: the server's only model. */
  model?: string;
  /** Layer L is the output of decoder block L, 0-based, before the final norm. */
  layers: readonly number[] | "all";
  /** Which positions become rows. Default: `"last"`. */
  select?: Selection;
  /** Folder of the dataset. Made when it is not there. */
  to: string;
  /** Captures at a time. Default: 8. */
  concurrency?: number;
  signal?: AbortSignal;
  onProgress?: (progress: CollectProgress) => void;
  /** A shard ends with the example that reaches this many rows (or 64 MiB). Default: 1024. */
  shardRows?: number;
  /** Tokens to generate; a capture has prompt + max_tokens − 1 positions. Default: 1. */
  max_tokens?: number;
}

const optionsSchema = z.strictObject({
  model: z.string().min(1).optional(),
  layers: z.union([z.literal("all"), z.array(z.int().min(0)).min(1).refine(isUnique, "each layer once")]),
  select: selectionSchema.default("last"),
  to: z.string().min(1),
  concurrency: z.int().min(1).max(1024).default(8),
  signal: z.instanceof(AbortSignal).optional(),
  onProgress: z.unknown().optional(),
  shardRows: z.int().min(1).default(1024),
  max_tokens: z.int().min(1).default(1),
});
/** The options with their defaults. */
export type CollectSettings = z.infer<typeof optionsSchema>;

export function checkCollectOptions(options: CollectOptions): CollectSettings {
  const parsed = optionsSchema.safeParse(options);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map(({ path, message }) => {
    const [key] = path;
    const given = key === undefined ? "options" : JSON.stringify(options[key as keyof CollectOptions]);
    return { field: path.map(String).join(".") || "options", given: given ?? "nothing", allowed: message };
  });
  throw new InvalidRequestError(issues, "collect options");
}

function isUnique(values: readonly number[]): boolean {
  return new Set(values).size === values.length;
}
