import { z } from "zod";

const lintCodes = [
  "length_skew",
  "duplicate_text_groups",
  "duplicate_text_splits",
  "label_is_token",
  "one_class_groups",
  "uniform_texts",
  "word_tells_label",
  "non_finite",
  "bos_rows",
  "constant_dimensions",
  "repeated_rows",
  "few_groups",
  "missing_group",
] as const;
export type LintCode = (typeof lintCodes)[number];

const findingSchema = z.object({
  code: z.enum(lintCodes),
  /** `error`: a score from these rows would be wrong or empty. `warning`: it may be flattered, or hold for less than it seems. */
  severity: z.enum(["error", "warning"]),
  /** The label that it is about, where it is about one. */
  label: z.string().nullable(),
  /** In words, what was found. */
  what: z.string(),
  /** The same as numbers, with the threshold that was passed. */
  numbers: z.record(z.string(), z.number()),
  advice: z.string(),
});
export type LintFinding = z.infer<typeof findingSchema>;

export const datasetLintSchema = z.object({
  schemaVersion: z.literal(1),
  kind: z.literal("dataset-lint"),
  rows: z.int().min(0),
  examples: z.int().min(0),
  /** Labels that were looked at. */
  labels: z.array(z.string()),
  /** Errors first. */
  findings: z.array(findingSchema),
  /** What could not be looked at, with the reason: a check that is in neither list found nothing. */
  notChecked: z.array(
    z.object({ code: z.enum(lintCodes), label: z.string().nullable(), reason: z.string() }),
  ),
});
export type DatasetLint = z.infer<typeof datasetLintSchema>;

/** What one check says of one label, or of the rows. */
export type LintOutcome = { findings: LintFinding[] } | { notChecked: string };
