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
  /** Other fields of the request, as `lens.generate` takes them: `top_p`, `min_tokens`, …; not `echo`, and none that is an option here. */
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

const elsewhere = "left out here: it is an option of its own";
const oneEach = "left out: each rollout is a request of its own, with one answer";
const promptAsIs = "left out: the prompt is the example's, as it is";
const captures = "left out: rollouts are captured when they are sampled and graded";

/** Fields of a request that a rollout cannot have, with what is allowed instead. */
const notSampling: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ["model", "n", "max_tokens", "temperature", "stop", "seed", "logprobs"].map((name) => [name, elsewhere]),
  ),
  ...Object.fromEntries(
    ["best_of", "stream", "stream_options", "use_beam_search", "request_id"].map((name) => [name, oneEach]),
  ),
  ...Object.fromEntries(
    ["prompt", "messages", "prompt_embeds", "truncate_prompt_tokens", "suffix"].map((name) => [
      name,
      promptAsIs,
    ]),
  ),
  ...Object.fromEntries(
    ["layers", "split", "binary", "output_residual_stream", "vllm_xargs"].map((name) => [name, captures]),
  ),
  max_completion_tokens: "left out: max_tokens is an option of its own",
  echo: "left out: a completion that repeats its prompt does not tell which ids were generated",
  return_token_ids: "left out: the ids are always asked for, where a server tells them",
};

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
  const issues = Object.keys(rollouts.sampling).flatMap((name) =>
    Object.hasOwn(notSampling, name)
      ? { field: `sampling.${name}`, given: "a field that cannot go", allowed: notSampling[name] as string }
      : [],
  );
  if (issues.length > 0) throw new InvalidRequestError(issues, "rollout options");
  return { rollouts, collect: checkCollectOptions(others as unknown as CollectOptions) };
}
