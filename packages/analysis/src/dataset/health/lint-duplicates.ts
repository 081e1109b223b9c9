import type { ExampleFacts } from "./example-facts.ts";
import type { LintFinding, LintOutcome } from "./lint-schema.ts";

interface Seen {
  group: number;
  split: string | null;
  examples: number;
  groups: boolean;
  splits: boolean;
}

/** Texts that several groups or splits have: a split by group, or by split, then tests a probe on a text that it was fitted on. */
export function lintDuplicates(
  examples: readonly ExampleFacts[],
  code: "duplicate_text_groups" | "duplicate_text_splits",
): LintOutcome {
  const known = examples.filter(({ textKey }) => textKey !== null);
  if (known.length === 0) return { notChecked: "no example has a text or token_ids" };
  const bySplit = code === "duplicate_text_splits";
  if (bySplit && known.every(({ split }) => split === null)) return { notChecked: "no row has a split" };
  const texts = new Map<string, Seen>();
  for (const { textKey, group, split } of known) {
    const seen = texts.get(textKey as string);
    if (seen === undefined) {
      texts.set(textKey as string, { group, split, examples: 1, groups: false, splits: false });
      continue;
    }
    seen.examples++;
    if (seen.group !== group) seen.groups = true;
    if (seen.split !== split) seen.splits = true;
  }
  const twice = [...texts.values()].filter((seen) => (bySplit ? seen.splits : seen.groups));
  if (twice.length === 0) return { findings: [] };
  const count = twice.reduce((sum, seen) => sum + seen.examples, 0);
  const finding: LintFinding = {
    code,
    severity: "error",
    label: null,
    what: `${twice.length} of ${texts.size} texts are in several ${bySplit ? "splits" : "groups"} (${count} of ${known.length} examples)`,
    numbers: {
      texts: twice.length,
      distinctTexts: texts.size,
      examples: count,
      share: count / known.length,
      threshold: 0,
    },
    advice: bySplit
      ? "Keep each text in one split."
      : "Give examples of one text one group, or leave the repeated ones out.",
  };
  return { findings: [finding] };
}
