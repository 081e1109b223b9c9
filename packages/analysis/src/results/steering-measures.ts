import { z } from "zod";
import { estimateSchema } from "./estimate.ts";
import { countSchema, shareSchema } from "./number-schemas.ts";

export const perplexitySchema = z.object({
  value: z.number(),
  /** Over the perplexity at scale 0 of the same texts. */
  ratio: z.number(),
  /** 95 % interval of the ratio, whole texts redrawn. */
  ratioLow: z.number().nullable(),
  ratioHigh: z.number().nullable(),
  tokens: countSchema,
});

/** How far the target's log probability moves, and how far that of tokens as likely as it does; means over prompts, in nats. */
export const targetShiftSchema = z.object({
  /** log p(target) at this scale − at scale 0. */
  shift: estimateSchema,
  /** What it would be if the target moved as other tokens do: the control tokens' mean, carried to the target's log probability at scale 0. */
  controls: estimateSchema,
  /** shift − controls, prompt by prompt: what is left of the effect when whatever moves every token of like probability is taken away. */
  net: estimateSchema,
  /** Mean distance in log probability between target and controls at scale 0. */
  gap: z.number().min(0).nullable(),
  /** Prompts in which a token of the target, or a control, is among the likeliest at one of the two scales alone: the least of them stands in for it. */
  bounded: countSchema,
  /** In words, when nothing is shown. */
  verdict: z.string().optional(),
});
export type TargetShift = z.infer<typeof targetShiftSchema>;

/** What steering does to the next-token distributions of neutral texts, teacher-forced; means over tokens, whole texts redrawn. */
export const neutralShiftSchema = z.object({
  /** KL(steered ‖ scale 0), nats a token. */
  kl: estimateSchema,
  /** KL(scale 0 ‖ steered). */
  reverseKl: estimateSchema,
  /** Entropy at this scale − at scale 0; positive is flatter. Of likeliest tokens alone, the rest counts as one token. */
  entropyChange: estimateSchema,
  over: z.enum(["the whole vocabulary", "the likeliest tokens and one rest"]),
  /** Both divergences are lower bounds of those of the whole vocabulary. */
  lowerBound: z.boolean(),
});
export type NeutralShift = z.infer<typeof neutralShiftSchema>;

/** Means over the generated texts; see `LoopScore`. */
export const loopsSchema = z.object({
  distinct1: estimateSchema,
  distinct2: estimateSchema,
  distinct3: estimateSchema,
  compression: estimateSchema,
  longestRepeat: estimateSchema,
  /** Share of the texts that are loops. */
  looping: estimateSchema,
});
export type SteeredLoops = z.infer<typeof loopsSchema>;

export const scorerResultSchema = z.object({
  name: z.string(),
  kind: z.enum(["pattern", "function", "judge"]),
  score: estimateSchema,
  /** Score at this scale − at scale 0, prompt by prompt. */
  change: estimateSchema,
});
export type ScorerResult = z.infer<typeof scorerResultSchema>;

/** One number of the direction beside the same number of each twin, on the twins' prompts. */
export const twinComparisonSchema = z.object({
  metric: z.string(),
  direction: z.number().nullable(),
  /** Mean over twins with its interval over twins. */
  twins: estimateSchema,
  /** The largest of any one twin: its size in either sense, in a search its gain. */
  largest: z.number().nullable(),
  /** Twins that do at least as much in that sense. */
  asLarge: countSchema,
  /** (1 + asLarge) / (1 + twins): the chance of standing out so far when the direction is like any other. */
  p: shareSchema.nullable(),
});
export type TwinComparison = z.infer<typeof twinComparisonSchema>;
