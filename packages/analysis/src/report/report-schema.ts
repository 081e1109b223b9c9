import { z } from "zod";
import { estimateSchema } from "../results/estimate.ts";
import { layerSweepSchema } from "../results/layer-sweep.ts";
import { steeringEvaluationSchema } from "../results/steering-evaluation.ts";

export const reportSchemaVersion = 1;

const count = z.int().min(0);
const scalar = z.union([z.string(), z.number(), z.boolean()]);

const reportStripSchema = z
  .object({
    /** What this example is, in a few words. */
    title: z.string(),
    tokens: z
      .array(
        z.object({
          id: count.nullable(),
          text: z.string().nullable(),
          role: z.enum(["prompt", "generated"]).optional(),
        }),
      )
      .min(1),
    /** One a token, null where no row was captured. */
    scores: z.array(z.number().nullable()),
    /** What the score measures. */
    score: z.string(),
    threshold: z.number().optional(),
    /** What scores above and below the threshold speak for. */
    above: z.string().optional(),
    below: z.string().optional(),
    /** The true label of the example, and what the model answered. */
    label: z.string(),
    answer: z.string(),
  })
  .refine(({ tokens, scores }) => tokens.length === scores.length, {
    message: "a strip needs one score for each token (null where there is none)",
    path: ["scores"],
  });
export type ReportStrip = z.infer<typeof reportStripSchema>;

const reportLimitsSchema = z
  .object({
    asked: z.object({ model: z.string(), layers: count, positions: count, hiddenSize: count }),
    /** layers × positions × hiddenSize. */
    sum: count,
    limit: count,
    /** In words, from the error. */
    wouldFit: z.string(),
    /** The message of the error that lens threw before anything was sent. */
    refusedByLens: z.string(),
    /** What the server answered when the same request was sent to it raw. */
    refusedByServer: z.string(),
  })
  .refine(({ asked, sum }) => asked.layers * asked.positions * asked.hiddenSize === sum, {
    message: "sum must be layers × positions × hiddenSize",
    path: ["sum"],
  });

export type ReportLimits = z.infer<typeof reportLimitsSchema>;

/** How often a model's likeliest next token is the right answer to a set of questions. */
const reportAnswersSchema = z.object({
  /** What was asked, and of what. */
  title: z.string(),
  choices: z.array(z.string()).min(1),
  right: estimateSchema,
  /** Share of answers that are one of the choices at all. */
  valid: estimateSchema,
});
export type ReportAnswers = z.infer<typeof reportAnswersSchema>;

/** Everything the report shows, as plain JSON. The same document is embedded in the page under the id `residua-result`. */
export const reportInputSchema = z.object({
  schemaVersion: z.literal(reportSchemaVersion),
  title: z.string().min(1),
  /** ISO 8601. */
  createdAt: z.iso.datetime({ offset: true }),
  model: z.object({
    id: z.string(),
    checkpoint: z.string(),
    layers: count,
    hiddenSize: count,
    parameters: count.optional(),
  }),
  dataset: z.object({
    rows: count,
    examples: count,
    groups: count,
    /** Indices of the captured decoder blocks. */
    layers: z.array(count).min(1),
    /** Which tokens became rows, in words. */
    selection: z.string(),
    dtype: z.string(),
    folder: z.string(),
    /** What was checked on each capture. */
    checks: z.array(z.object({ code: z.string(), status: z.string(), detail: z.string() })).optional(),
  }),
  /** What the model answers by itself, before anything is added to its stream. */
  answers: z.array(reportAnswersSchema).optional(),
  /** A direction made from training groups alone, scored on groups that took no part in anything else. */
  heldOut: z
    .object({
      method: z.string(),
      trainGroups: count,
      groups: count,
      layers: z.array(z.object({ layer: count, auroc: estimateSchema })).min(1),
    })
    .optional(),
  sweep: layerSweepSchema,
  steering: steeringEvaluationSchema,
  strips: z.array(reportStripSchema),
  limits: reportLimitsSchema.optional(),
  /** Further settings worth knowing, name to value. */
  settings: z.record(z.string(), scalar).optional(),
  timings: z.array(z.object({ step: z.string(), seconds: z.number().min(0) })),
  peakMemoryMiB: z.number().min(0).optional(),
  versions: z.record(z.string(), z.string()),
  /** Commands, in order. */
  rerun: z.array(z.string()),
});
export type ReportInput = z.infer<typeof reportInputSchema>;
