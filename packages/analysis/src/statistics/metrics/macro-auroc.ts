import { z } from "zod";
import { classNumbers } from "./class-numbers.ts";
import { checkOptions } from "../../options/check-options.ts";
import { checkRows, type Metric } from "./metric.ts";
import { rankScores } from "./ranked-scores.ts";

/**
 * Macro AUROC of `classes` classes: the mean over classes of the AUROC of that class's scores against all other rows. Scores are
 * `[rows, classes]`, labels 0 … classes − 1. Undefined when any class is: a mean over the classes that are left would measure
 * something else.
 */
export function macroAurocMetric(options: { classes: number }): Metric {
  const { classes } = checkOptions(classesSchema, options, "macroAurocMetric");
  return {
    name: "macro AUROC",
    prepare(rows) {
      const { n } = checkRows(rows, "macro AUROC", classes);
      const labels = classNumbers(rows.labels, classes, "macro AUROC");
      const ranked = Array.from({ length: classes }, (_, c) =>
        rankScores({
          ...rows,
          scores: Float64Array.from({ length: n }, (_, row) => rows.scores[row * classes + c]!),
          labels: Uint8Array.from(labels, (label) => (label === c ? 1 : 0)),
        }),
      );
      return {
        value(weights) {
          let sum = 0;
          for (const one of ranked) {
            const value = one.auroc(weights);
            if (value === null) return null;
            sum += value;
          }
          return sum / classes;
        },
        reason: absentReason(labels, classes),
      };
    },
  };
}

const classesSchema = z.strictObject({ classes: z.int().min(2) });

function absentReason(labels: Uint32Array, classes: number): string {
  const seen = new Set(labels);
  const absent = Array.from({ length: classes }, (_, c) => c).filter((c) => !seen.has(c));
  return `macro AUROC needs rows of every class and of another one in a stratum: ${
    absent.length > 0 ? `class ${absent.join(", ")} has no row` : "some class has none"
  }`;
}
