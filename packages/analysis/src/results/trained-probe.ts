import { z } from "zod";
import { labelValueSchema } from "./label-value.ts";
import { countSchema, shareSchema } from "./number-schemas.ts";
import { probeNameSchema } from "./probe-name.ts";
import { scorerSchema } from "./probe-scorer.ts";
import { versionSchema } from "./result-version.ts";
import { scorePoolSchema } from "./score-pool.ts";

/** What is read of a probe's answer: one score a row that ranks two classes, one a class, or a number. */
export const probeTaskSchema = z.enum(["binary", "classes", "number"]);
export type ProbeTask = z.infer<typeof probeTaskSchema>;

/** Where the constant of a score comes from. */
const probeBiasSchema = z.enum(["fitted", "midpoint", "none"]);
export type ProbeBias = z.infer<typeof probeBiasSchema>;

/** Scores above `value` are flagged: set on rows that should not be. */
export const storedThresholdSchema = z.object({
  value: z.number(),
  /** The false-positive rate that was asked for. */
  targetRate: shareSchema,
  /** Share of the control scores above `value`: at most `targetRate`. */
  achievedRate: shareSchema,
  /** Control scores, and how many of them lie above. */
  n: countSchema,
  falsePositives: countSchema,
  /** How the control scores were pooled, and must be pooled to be compared; null: they are of single rows. */
  pool: scorePoolSchema.nullable(),
});
export type StoredThreshold = z.infer<typeof storedThresholdSchema>;

/** All but the seal. */
export const probeContentSchema = z.object({
  schemaVersion: versionSchema,
  kind: z.literal("trained-probe"),
  name: probeNameSchema,
  task: probeTaskSchema,
  /** Layer L is the output of decoder block L; null where the rows' layer was not told. */
  layer: z.int().min(-1).nullable(),
  width: z.int().min(1),
  /** The model whose rows it was trained on, where that is known. */
  model: z.string().nullable(),
  /** What the probe minimises or computes: space, penalty, bias. */
  formula: z.string().min(1),
  bias: probeBiasSchema,
  /** Strength of the penalty (C of a logistic probe, λ of a ridge); null for a probe without one. */
  C: z.number().nullable(),
  label: z.string().nullable(),
  /** Of two classes: the one of high scores. */
  positive: labelValueSchema.nullable(),
  /** Of more classes: the order of the score columns. */
  classes: z.array(labelValueSchema).min(2).nullable(),
  /** The column whose values were kept together when C was chosen. */
  group: z.string().nullable(),
  training: z.object({
    rows: z.int().min(1),
    /** Of two classes: positive and negative rows. Of more: one count each, as in `classes`. Of numbers: rows above their mean, and the rest. */
    counts: z.array(countSchema).min(2),
    iterations: countSchema,
    gradientNorm: z.number().min(0),
  }),
  scorer: scorerSchema,
  threshold: storedThresholdSchema.nullable(),
});
export type ProbeContent = z.infer<typeof probeContentSchema>;

export const trainedProbeSchema = probeContentSchema.extend({
  /** Of all other fields as JSON, in hex: a number that was changed is noticed. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/, "a SHA-256 in hex"),
});
export type TrainedProbeJSON = z.infer<typeof trainedProbeSchema>;
