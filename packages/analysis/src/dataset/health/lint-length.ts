import { auroc } from "../../statistics/metrics/auroc.ts";
import type { ColumnValue } from "../../shards/column-field.ts";
import { comparedClasses, noClasses, tooFew, type LabelledExamples } from "./label-classes.ts";
import type { LintFinding, LintOutcome } from "./lint-schema.ts";

/** AUROC from a half: below this, length is not worth a word; from `grave` on it explains a probe's score. */
const slight = 0.1;
const grave = 0.25;

/**
 * Whether length alone tells the label: AUROC of length, each class against the others. It is found when it is further from a half
 * than 0.1 and than three standard deviations of the AUROC of two classes that do not differ,
 * √((n₁ + n₀ + 1) / (12 n₁ n₀)) (Mann and Whitney 1947), so no shuffles are needed. Where three of these are a half or more, no
 * AUROC could be told from chance, and the label is not checked.
 */
export function lintLength(labelled: LabelledExamples, lengthOf: string): LintOutcome {
  const none = noClasses(labelled);
  if (none !== undefined) return { notChecked: none };
  const known = labelled.examples.filter(({ facts }) => facts.length !== null);
  if (known.length === 0) return { notChecked: "no example has a prompt_length, token_ids or text" };
  const lengths = known.map(({ facts }) => facts.length as number);
  const few: ColumnValue[] = [];
  const findings = comparedClasses(labelled).flatMap((value): LintFinding[] => {
    const positive = known.map((example) => example.value === value);
    const area = auroc(lengths, positive);
    const threshold = area.value === null ? 0.5 : Math.max(slight, 3 * deviationOf(area));
    if (area.value === null || threshold >= 0.5) {
      few.push(value);
      return [];
    }
    const { positives, negatives } = area;
    const distance = Math.abs(area.value - 0.5);
    if (distance <= threshold) return [];
    const mean = (of: boolean): number =>
      lengths.reduce((sum, length, i) => sum + (positive[i] === of ? length : 0), 0) /
      (of ? positives : negatives);
    const longer = area.value > 0.5 ? "longer" : "shorter";
    return [
      {
        code: "length_skew",
        severity: distance >= grave ? "error" : "warning",
        label: labelled.label,
        what: `prompts with ${labelled.label} = ${JSON.stringify(value)} are ${longer}: length alone has an AUROC of ${area.value.toFixed(3)}`,
        numbers: {
          auroc: area.value,
          threshold: 0.5 + Math.sign(area.value - 0.5) * threshold,
          positives,
          negatives,
          [`mean_${lengthOf}`]: mean(true),
          [`mean_${lengthOf}_others`]: mean(false),
        },
        advice:
          "Balance the lengths (filter, or add examples), or show a length-only baseline beside every probe.",
      },
    ];
  });
  // One finding a label: the class that length tells best.
  findings.sort(
    (a, b) => Math.abs((b.numbers["auroc"] as number) - 0.5) - Math.abs((a.numbers["auroc"] as number) - 0.5),
  );
  if (findings.length > 0 || few.length === 0) return { findings: findings.slice(0, 1) };
  return { notChecked: tooFew(labelled, few, "examples with a length") };
}

/** Of the AUROC of two classes that do not differ. */
function deviationOf({ positives, negatives }: { positives: number; negatives: number }): number {
  return Math.sqrt((positives + negatives + 1) / (12 * positives * negatives));
}
