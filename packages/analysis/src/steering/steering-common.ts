import type { Lens } from "@residua/lens";
import { z } from "zod";
import { ProbeError } from "../probes/probe-error.ts";
import { damageLimitsSchema, type DamageLimits } from "./damage/damage-limits.ts";
import type { TargetRule } from "./target-shift.ts";
import { scorersSchema, type SteeringScorer } from "./scorers/steering-scorer.ts";

/** What experiments ask of a lens; `describe` tells how large the vocabulary is. */
export type SteeringLens = Pick<Lens, "generate"> & Partial<Pick<Lens, "describe" | "profile">>;

/** What every steering experiment is told. */
export interface SteeringCommon {
  model?: string;
  prompts: readonly SteeringPrompt[];
  /** Two answers, as token texts: flips between them are counted. */
  choices?: readonly [string, string];
  /**
   * The next token whose log probability the direction should move, as token text; of several the summed probability. Default: the
   * first of `choices`.
   */
  target?: string | readonly string[];
  /** Control tokens of each target at most (5): those nearest in log probability at scale 0. */
  controls?: number;
  /** How far a control token's log probability may lie from the target's at scale 0, in nats (1). */
  controlGap?: number;
  /** Texts that have nothing to do with the prompts: what steering does to them is damage. */
  neutral?: readonly string[];
  /**
   * How much of each next-token distribution of the neutral texts is read: the likeliest tokens, `"all"` of the vocabulary, or 0
   * for perplexity alone. Default `"auto"`: all where the vocabulary is known to be small enough, else 20.
   */
  neutralTop?: number | "all" | "auto";
  /** Text generated after each prompt, read for loops and by the scorers. Default: none, with scorers 32 tokens, greedy. */
  generation?: { maxTokens: number; temperature?: number };
  /** What is read off the generated texts. */
  scorers?: readonly SteeringScorer[];
  /** From where on a scale is damage. */
  damage?: Partial<DamageLimits>;
  seed?: number;
  /** Bootstrap draws of an interval (default 1000). */
  draws?: number;
  /** Requests in flight (default 4). */
  concurrency?: number;
  signal?: AbortSignal;
  onProgress?: (progress: { done: number; total: number }) => void;
}

/** A prompt whose next token is an answer, or after which a text is generated. */
export interface SteeringPrompt {
  prompt: string | number[];
  /** Prompts that share something (a city, a template) share a group; whole groups are redrawn for intervals. */
  group?: string;
  /**
   * Index of the choice that the model should give at scale 0, needed with `choices`. Prompts that it answers otherwise take no part
   * in the flips.
   */
  from?: 0 | 1;
}

const finiteVector = z
  .instanceof(Float32Array, { error: "a Float32Array" })
  .refine((vector) => vector.every(Number.isFinite), "a vector of finite numbers")
  .refine(
    (vector) => vector.some((value) => value !== 0),
    "a vector that is not zero: no scale would change anything",
  );

/** As `meanDifference` and other probes give them; what else they carry is left alone. */
export const directionSchema = z.looseObject({
  layer: z.int().min(0),
  vector: finiteVector,
  method: z.string(),
});

export const promptSchema = z.strictObject({
  prompt: z.union([z.string().min(1), z.array(z.int().min(0)).min(1)]),
  group: z.string().optional(),
  from: z.literal([0, 1]).optional(),
});

const word = z.string().refine((text) => text.trim() !== "", "a text with more than space");

export const commonShape = {
  model: z.string().min(1).optional(),
  prompts: z.array(promptSchema).min(1),
  choices: z
    .tuple([word, word])
    .refine(([first, second]) => first.trim() !== second.trim(), "two different words")
    .optional(),
  target: z.union([word, z.array(word).min(1)]).optional(),
  controls: z.int().min(2).max(20).default(5),
  controlGap: z.number().positive().default(1),
  neutral: z.array(z.string().min(1)).default([]),
  neutralTop: z.union([z.int().min(0).max(100), z.literal(["all", "auto"])]).default("auto"),
  generation: z
    .strictObject({ maxTokens: z.int().min(2), temperature: z.number().min(0).default(0) })
    .optional(),
  scorers: scorersSchema.default([]),
  damage: damageLimitsSchema.default({}),
  seed: z.int().default(0),
  draws: z.int().min(1).default(1000),
  concurrency: z.int().min(1).default(4),
  signal: z.instanceof(AbortSignal).optional(),
  onProgress: z
    .custom<NonNullable<SteeringCommon["onProgress"]>>((value) => typeof value === "function", "a function")
    .optional(),
};

/** What both experiments read of their options. */
export type CommonSettings = z.infer<z.ZodObject<typeof commonShape>>;

/** Refuses options that leave nothing to measure. Throws ProbeError `bad_option`. */
export function refuseUnasked(settings: CommonSettings, what: string): void {
  const { choices, target, scorers, prompts } = settings;
  if (!choices && target === undefined && scorers.length === 0) {
    throw new ProbeError(
      "bad_option",
      `${what}: give choices, a target or scorers, else there is nothing to measure.`,
    );
  }
  const at = choices ? prompts.findIndex(({ from }) => from === undefined) : -1;
  if (at >= 0) {
    throw new ProbeError(
      "bad_option",
      `${what}: prompts[${at}] has no from: with choices, each prompt says which of them is right at scale 0 (0 or 1).`,
      { prompt: at },
    );
  }
}

/** The tokens whose probability is the target's, and their controls; undefined where no target is asked for. */
export function targetRule(settings: CommonSettings): TargetRule | undefined {
  const { target, choices, controls, controlGap } = settings;
  if (target === undefined && !choices) return undefined;
  const targets = target === undefined ? [choices![0]] : typeof target === "string" ? [target] : target;
  return { targets, aside: choices ?? [], controls, gap: controlGap };
}
