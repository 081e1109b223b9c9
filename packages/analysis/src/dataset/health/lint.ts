import { InvalidRequestError } from "@residua/lens";
import { z } from "zod";
import { checkOptions } from "../../options/check-options.ts";
import { checkedSource } from "../checked-source.ts";
import type { RowSource } from "../row-source.ts";
import { missingColumn } from "../missing-column.ts";
import { describe, describeSchema, type DescribeOptions } from "./describe.ts";
import { datasetDescriptionSchema, type DatasetDescription } from "./description-schema.ts";
import { exampleFacts } from "./example-facts.ts";
import { labelledExamples } from "./label-classes.ts";
import { lintDuplicates } from "./lint-duplicates.ts";
import { lintFewGroups, lintMissingGroup, lintOneClassGroups } from "./lint-groups.ts";
import { lintLength } from "./lint-length.ts";
import { rowLints } from "./lint-rows.ts";
import type { DatasetLint, LintCode, LintOutcome } from "./lint-schema.ts";
import { lintTexts } from "./lint-texts.ts";
import { lintWords } from "./lint-words.ts";
import { lintTokens } from "./lint-tokens.ts";

export interface LintOptions extends DescribeOptions {
  /** Labels to look at. Default: all label columns. */
  labels?: readonly string[];
  /** What `describe` found of the same rows, so that they need not be read again. */
  description?: DatasetDescription;
}

const lintSchema = z.strictObject({
  ...describeSchema,
  labels: z.array(z.string()).optional(),
  description: datasetDescriptionSchema.optional(),
});

/**
 * Looks for what makes a probe's score mean less than it seems: labels that length, one word or token or a template tell, texts on both sides
 * of a split, groups that cannot part honestly, rows that are broken, equal or read nothing. Every finding says what passed
 * which threshold. Each check and its threshold: docs/health.md. Throws DatasetError `no_such_column`, and InvalidRequestError for a
 * description of other rows.
 */
export async function lint(given: RowSource, options: LintOptions = {}): Promise<DatasetLint> {
  checkOptions(lintSchema, options, "lint options");
  const source = checkedSource(given);
  const { description: told, labels: asked, ...describing } = options;
  const labels = asked ?? source.fields.filter(({ role }) => role === "label").map(({ name }) => name);
  const absent = labels.find((name) => !source.columns.includes(name));
  if (absent !== undefined) throw missingColumn("lint", absent, source.fields);
  if (told !== undefined) refuseOtherRows(told, source);
  const description = told ?? (await describe(source, describing));
  const facts = await exampleFacts(source, labels);
  const result: Pick<DatasetLint, "findings" | "notChecked"> = { findings: [], notChecked: [] };
  const add = (code: LintCode, label: string | null, outcome: LintOutcome): void => {
    if ("notChecked" in outcome) result.notChecked.push({ code, label, reason: outcome.notChecked });
    else result.findings.push(...outcome.findings);
  };
  for (const name of labels) {
    const labelled = labelledExamples(name, facts.examples);
    add("length_skew", name, lintLength(labelled, facts.lengthOf));
    const byToken = lintTokens(labelled, facts);
    add("label_is_token", name, byToken);
    const byTemplate = await lintTexts(source, labelled);
    add("uniform_texts", name, byTemplate);
    const told = [byToken, byTemplate].flatMap((outcome) => ("findings" in outcome ? outcome.findings : []));
    // Their words tell the label too, and are seen already.
    const again = `${told.map(({ code }) => code).join(", ")} tells it already: mend that, and lint again`;
    add(
      "word_tells_label",
      name,
      told.length > 0 ? { notChecked: again } : await lintWords(source, labelled),
    );
    add("one_class_groups", name, lintOneClassGroups(labelled));
  }
  for (const code of ["duplicate_text_groups", "duplicate_text_splits"] as const)
    add(code, null, lintDuplicates(facts.examples, code));
  add("few_groups", null, lintFewGroups(facts));
  add("missing_group", null, lintMissingGroup(facts, source.rows));
  for (const [code, check] of Object.entries(rowLints)) add(code as LintCode, null, check(description));
  const rank = { error: 0, warning: 1 };
  return {
    schemaVersion: 1,
    kind: "dataset-lint",
    rows: source.rows,
    examples: facts.examples.length,
    labels: [...labels],
    findings: result.findings.sort((a, b) => rank[a.severity] - rank[b.severity]),
    notChecked: result.notChecked,
  };
}

/** Throws InvalidRequestError. */
function refuseOtherRows({ rows, hiddenSize, layers }: DatasetDescription, source: RowSource): void {
  const others = layers.map(({ layer }) => layer).filter((layer) => !source.layers.includes(layer));
  if (rows === source.rows && hiddenSize === source.hiddenSize && others.length === 0) return;
  const given = `of ${rows} rows of ${hiddenSize} numbers, layers ${layers.map(({ layer }) => layer).join(", ")}`;
  const allowed = `what describe says of these ${source.rows} rows of ${source.hiddenSize} numbers, layers ${source.layers.join(", ")}`;
  throw new InvalidRequestError([{ field: "description", given, allowed }], "lint options");
}
