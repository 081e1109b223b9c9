import type { Lens } from "@residua/lens";
import { z } from "zod";
import { checkOptions } from "../../options/check-options.ts";
import { directionSchema, promptSchema } from "../steering-common.ts";

/** A direction of one position of the prompt, and the layer that it was found at. */
export interface PositionDirection {
  layer: number;
  /** Counted from the prompt's last token: −1 is the last. */
  position: number;
  /** `[hiddenSize]` */
  vector: Float32Array;
  /** Name and formula. */
  method: string;
}

/** A lens that takes interventions: `openLocal` of `@residua/engine` gives one. */
export type AblationLens = Pick<Lens, "generate"> & Partial<Pick<Lens, "describe">>;

export interface SelectionPrompt {
  prompt: string | number[];
  group?: string;
}

export interface SelectionOptions {
  model?: string;
  candidates: readonly PositionDirection[];
  /** Prompts that the model refuses: held out from those that the candidates were made of. */
  harmful: readonly SelectionPrompt[];
  /** Prompts that it answers. */
  harmless: readonly SelectionPrompt[];
  /** First tokens of a refusal, such as `" I"`. */
  tokens: readonly string[];
  /** Decoder blocks of the model; default what the lens describes. */
  depth?: number;
  /** Most KL of harmless prompts (0.1). */
  maxKl?: number;
  /** The induce score must be above it (0). */
  minInduce?: number;
  /** Share of the last layers that candidates may not come from (0.2). */
  dropLast?: number;
  /** Likeliest next tokens that are read (100). */
  top?: number;
  seed?: number;
  draws?: number;
  concurrency?: number;
  signal?: AbortSignal;
}

const prompts = z.array(promptSchema.omit({ from: true })).min(1);

const optionsSchema = z.strictObject({
  model: z.string().min(1).optional(),
  candidates: z.array(directionSchema.extend({ position: z.int().max(-1) })).min(1),
  harmful: prompts,
  harmless: prompts,
  tokens: z.array(z.string().min(1)).min(1),
  depth: z.int().min(1).optional(),
  maxKl: z.number().positive().default(0.1),
  minInduce: z.number().default(0),
  dropLast: z.number().min(0).max(1).default(0.2),
  top: z.int().min(2).max(100).default(100),
  seed: z.int().default(0),
  draws: z.int().min(1).default(1000),
  concurrency: z.int().min(1).default(4),
  signal: z.instanceof(AbortSignal).optional(),
});
export type SelectionSettings = z.infer<typeof optionsSchema>;

/** The options with their defaults. Throws InvalidRequestError. */
export function selectionSettings(options: SelectionOptions): SelectionSettings {
  return checkOptions(optionsSchema, options, "selectRefusalDirection");
}
