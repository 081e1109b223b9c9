import { InvalidRequestError } from "@residua/lens";
import { z } from "zod";
import { checkOptions } from "../../options/check-options.ts";
import { checkCollectOptions, type CollectOptions, type CollectSettings } from "../collect-options.ts";
import type { CollectProgress } from "../collect-progress.ts";
import type { Grade, Rollout } from "./rollout.ts";

/** How far a stage is. */
export interface RolloutProgress extends Omit<CollectProgress, "rows" | "shards"> {
  stage: "sample" | "grade" | "capture";
  /** Of the dataset; 0 before the captures. */
  rows: number;
  shards: number;
}

export interface RolloutOptions extends Omit<CollectOptions, "max_tokens" | "onProgress"> {
  /** Completions of each example. Default: 1. */
  n?: number;
  /** Tokens of a completion at most. Default: 16. */
  max_tokens?: number;
  /** Default: 1. At 0 all rollouts of an example would be the same, so `n` is 1. */
  temperature?: number;
  stop?: string | readonly string[];
  /** Each rollout's own seed follows from this, its example and its number. Default: 0. */
  seed?: number;
  /** Other fields of the request, as `lens.generate` takes them: `top_p`, `min_tokens`, … */
  sampling?: Readonly<Record<string, unknown>>;
  /** Whether the log probabilities of the generated tokens are kept. Default: false. */
  logprobs?: boolean;
  /** What a rollout is worth. An exception is that rollout's failure. */
  grade: (rollout: Rollout, options: { signal: AbortSignal | undefined }) => Grade | Promise<Grade>;
  /** Grades are kept; another version says that `grade` is another function, and all are graded again. Default: `"1"`. */
  gradeVersion?: string;
  onProgress?: (progress: RolloutProgress) => void;
}

const schema = z.strictObject({
  n: z.int().min(1).default(1),
  max_tokens: z.int().min(1).default(16),
  temperature: z.number().min(0).default(1),
  stop: z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]).optional(),
  seed: z.int().min(0).default(0),
  sampling: z.record(z.string(), z.json()).default({}),
  logprobs: z.boolean().default(false),
  grade: z.custom<RolloutOptions["grade"]>((given) => typeof given === "function", "a function"),
  gradeVersion: z.string().min(1).default("1"),
  onProgress: z
    .custom<NonNullable<RolloutOptions["onProgress"]>>((given) => typeof given === "function", "a function")
    .optional(),
});

export interface RolloutSettings {
  rollouts: z.infer<typeof schema>;
  /** Of the captures. */
  collect: CollectSettings;
}

/** Throws InvalidRequestError. */
export function checkRolloutOptions(options: RolloutOptions): RolloutSettings {
  const names = Object.keys(schema.shape);
  const own = Object.fromEntries(Object.entries(options).filter(([name]) => names.includes(name)));
  const others = Object.fromEntries(Object.entries(options).filter(([name]) => !names.includes(name)));
  const rollouts = checkOptions(schema, own, "rollout options");
  if (rollouts.n > 1 && rollouts.temperature === 0) {
    const issue = {
      field: "n",
      given: `${rollouts.n} at temperature 0`,
      allowed: "1: all would be the same",
    };
    throw new InvalidRequestError([issue], "rollout options");
  }
  const taken = ["prompt", "n", "max_tokens", "temperature", "stop", "seed", "logprobs"];
  const twice = Object.keys(rollouts.sampling).find((name) => taken.includes(name));
  if (twice !== undefined) {
    const issue = {
      field: `sampling.${twice}`,
      given: "a field with an option of its own",
      allowed: "other fields",
    };
    throw new InvalidRequestError([issue], "rollout options");
  }
  return { rollouts, collect: checkCollectOptions(others as unknown as CollectOptions) };
}
