import type { ColumnValue } from "../../shards/column-field.ts";
import { fewGroups } from "../../statistics/intervals/cluster-bootstrap.ts";
import type { RowFacts } from "./example-facts.ts";
import { noClasses, type LabelledExamples } from "./label-classes.ts";
import type { LintOutcome } from "./lint-schema.ts";

/** Chance below which groups of one label each are no accident. */
const unlikely = 1e-3;
/** Folds of a sweep, unless it is told. */
const usualFolds = 5;

/**
 * Groups whose examples are all of one label, when every group is so and that is no accident: the chance that labels dealt
 * independently of groups would do it, Π over groups of Σ over labels of share^size, is below 0.001. Where it is not, chance may
 * have done it, and the label is not checked.
 */
export function lintOneClassGroups(labelled: LabelledExamples): LintOutcome {
  const none = noClasses(labelled);
  if (none !== undefined) return { notChecked: none };
  const groups = new Map<number, { size: number; values: Set<ColumnValue> }>();
  for (const { facts, value } of labelled.examples) {
    const group = groups.get(facts.group) ?? { size: 0, values: new Set<ColumnValue>() };
    groups.set(facts.group, group);
    group.size++;
    group.values.add(value);
  }
  const sizes = [...groups.values()].map(({ size }) => size);
  if (sizes.every((size) => size === 1)) return { notChecked: "every group is one example" };
  const total = labelled.examples.length;
  const chance = Math.exp(
    sizes.reduce(
      (sum, size) =>
        sum + Math.log(labelled.classes.reduce((all, [, count]) => all + (count / total) ** size, 0)),
      0,
    ),
  );
  const mixed = [...groups.values()].some(({ values }) => values.size > 1);
  if (mixed) return { findings: [] };
  if (chance >= unlikely)
    return {
      notChecked: `all ${groups.size} groups have one value of ${labelled.label} each, which chance does once in ${Math.round(1 / chance)}`,
    };
  return {
    findings: [
      {
        code: "one_class_groups",
        severity: "warning",
        label: labelled.label,
        what: `all ${groups.size} groups have one value of ${labelled.label} each`,
        numbers: { groups: groups.size, examples: total, chance, threshold: unlikely },
        advice:
          "Whatever tells groups apart may pass for the label. Where it can be, give each group examples of every label (contrast pairs).",
      },
    ],
  };
}

/** Too few groups for folds, and for intervals that redraw groups. */
export function lintFewGroups({ groups }: RowFacts): LintOutcome {
  if (groups >= fewGroups) return { findings: [] };
  const tooFew = groups < usualFolds;
  return {
    findings: [
      {
        code: "few_groups",
        severity: tooFew ? "error" : "warning",
        label: null,
        what: tooFew
          ? `${groups} groups: ${usualFolds} folds of whole groups need at least ${usualFolds}`
          : `${groups} groups: intervals that redraw groups are too narrow below about ${fewGroups}`,
        numbers: { groups, threshold: fewGroups },
        advice: "Collect more groups, or finer ones where examples are independent.",
      },
    ],
  };
}

/** No group was given. Token rows then count as independent although they are of one prompt. */
export function lintMissingGroup({ isExample, examples }: RowFacts, rows: number): LintOutcome {
  if (!isExample || examples.length === 0) return { findings: [] };
  const several = rows > examples.length;
  return {
    findings: [
      {
        code: "missing_group",
        severity: "warning",
        label: null,
        what: several
          ? `no group was given: ${rows} rows of ${examples.length} examples, each a group of its own; sweepLayers refuses that`
          : `no group was given: each of ${examples.length} examples is a group of its own`,
        numbers: { rows, examples: examples.length, threshold: 0 },
        advice:
          "Give examples about one thing (a city, a template, a pair) one group, so that no split parts them; join adds such a column later.",
      },
    ],
  };
}
