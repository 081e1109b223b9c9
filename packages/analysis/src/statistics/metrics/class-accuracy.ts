import { z } from "zod";
import { checkOptions } from "../../options/check-options.ts";
import { classNumbers } from "./class-numbers.ts";
import { checkRows, type Metric } from "./metric.ts";
import { unitSums } from "./unit-sums.ts";

/**
 * Share of rows whose highest score, of `[rows, classes]`, is that of their class; `balanced` is the mean of that share over classes, undefined
 * when a class has no row. Of equal scores the first counts as the highest.
 */
export function classAccuracyMetric(options: { classes: number; balanced?: boolean }): Metric {
  const { classes, balanced } = checkOptions(classesSchema, options, "classAccuracyMetric");
  const name = balanced ? "balanced accuracy of classes" : "accuracy of classes";
  return {
    name,
    prepare(rows) {
      const shape = checkRows(rows, name, classes);
      const labels = classNumbers(rows.labels, classes, name);
      const sums = unitSums({
        ...shape,
        width: 2 * classes,
        add(row, terms) {
          let likeliest = 0;
          for (let c = 1; c < classes; c++)
            if (rows.scores[row * classes + c]! > rows.scores[row * classes + likeliest]!) likeliest = c;
          const label = labels[row]!;
          terms[label] = 1;
          terms[classes + label] = likeliest === label ? 1 : 0;
        },
      });
      return {
        value(weights) {
          const totals = sums(weights);
          let [n, hits, shares, empty] = [0, 0, 0, 0];
          for (let c = 0; c < classes; c++) {
            n += totals[c]!;
            hits += totals[classes + c]!;
            if (totals[c]! > 0) shares += totals[classes + c]! / totals[c]!;
            else empty++;
          }
          if (balanced) return empty === 0 ? shares / classes : null;
          return n > 0 ? hits / n : null;
        },
        reason: balanced ? `${name} needs rows of every class` : `${name} has no row`,
      };
    },
  };
}

const classesSchema = z.strictObject({ classes: z.int().min(2), balanced: z.boolean().default(false) });
