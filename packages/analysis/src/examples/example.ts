import { InvalidRequestError, type RequestIssue } from "@residua/lens";
import { z } from "zod";

/** A prompt with its labels. */
export interface Example {
  /** Unique in its list. Default: its index, as text. */
  id?: string;
  /** Text, or token ids. */
  prompt: string | readonly number[];
  /** Examples of one group never part into training and test rows. Default: the id, so each is its own group. */
  group?: string;
  /** The same names, with values of the same type, in every example. */
  labels: Readonly<Record<string, boolean | number | string>>;
  split?: string;
}

export type LabelType = "bool" | "float64" | "utf8";

/** An example with its defaults filled in. */
export interface CheckedExample {
  id: string;
  prompt: string | number[];
  group: string;
  labels: Record<string, boolean | number | string>;
  split: string | null;
}

export interface CheckedExamples {
  examples: CheckedExample[];
  /** Type of each label, names ascending. */
  labels: Record<string, LabelType>;
}

/** Column names that labels cannot take. */
export const reservedColumns: readonly string[] = [
  "example",
  "group",
  "split",
  "position",
  "token_id",
  "token",
];

const text = z
  .string()
  .refine((value) => !/\p{Surrogate}/u.test(value), "well-formed text (it has half of a surrogate pair)");
const name = text
  .min(1)
  .refine(
    (value) => !reservedColumns.includes(value) && !/^layer_\d+$/.test(value),
    `a name other than ${reservedColumns.join(", ")} and layer_N, which are columns already`,
  );

const exampleSchema = z.strictObject({
  id: text.min(1).optional(),
  prompt: z.union([text, z.array(z.int().min(0)).min(1)]),
  group: text.min(1).optional(),
  // zod passes over a key "__proto__"; it must not vanish in silence.
  labels: z
    .custom<Record<string, unknown>>()
    .refine((labels) => !Object.hasOwn(labels ?? {}, "__proto__"), 'labels without the name "__proto__"')
    .pipe(z.record(name, z.union([z.boolean(), z.number(), text]))),
  split: text.min(1).optional(),
});

/** Checks a list of examples and fills in defaults. Throws InvalidRequestError that names each fault, at most twenty of them. */
export function checkExamples(given: readonly Example[]): CheckedExamples {
  const parsed = z.array(exampleSchema).min(1).safeParse(given);
  if (!parsed.success) throw invalid(parsed.error.issues.map((issue) => issueOf(issue, given)));
  const examples = parsed.data.map((example, i) => ({
    id: example.id ?? String(i),
    prompt: example.prompt,
    group: example.group ?? example.id ?? String(i),
    labels: example.labels,
    split: example.split ?? null,
  }));
  const labels = labelTypes(examples[0]?.labels ?? {});
  const issues = [
    ...duplicates(examples),
    ...examples.flatMap((example, i) => strayLabels(example, i, labels)),
  ];
  if (issues.length > 0) throw invalid(issues);
  return { examples, labels };
}

function labelTypes(labels: CheckedExample["labels"]): Record<string, LabelType> {
  const names = Object.keys(labels).sort();
  return Object.fromEntries(names.map((label) => [label, labelType(labels[label])]));
}

function labelType(value: unknown): LabelType {
  return typeof value === "boolean" ? "bool" : typeof value === "number" ? "float64" : "utf8";
}

function duplicates(examples: readonly CheckedExample[]): RequestIssue[] {
  const first = new Map<string, number>();
  return examples.flatMap(({ id }, i) => {
    const earlier = first.get(id);
    if (earlier === undefined) first.set(id, i);
    if (earlier === undefined) return [];
    const given = `${JSON.stringify(id)}, also the id of examples[${earlier}]`;
    return [{ field: `examples[${i}].id`, given, allowed: "an id used once" }];
  });
}

function strayLabels(
  example: CheckedExample,
  index: number,
  types: Record<string, LabelType>,
): RequestIssue[] {
  const field = (label: string): string => `examples[${index}].labels.${label}`;
  const missing = Object.entries(types)
    .filter(
      ([label, type]) => !Object.hasOwn(example.labels, label) || labelType(example.labels[label]) !== type,
    )
    .map(([label, type]) => ({
      field: field(label),
      given: Object.hasOwn(example.labels, label) ? typeof example.labels[label] : "nothing",
      allowed: `${type}, as in examples[0]`,
    }));
  const extra = Object.keys(example.labels)
    .filter((label) => !Object.hasOwn(types, label))
    .map((label) => ({
      field: field(label),
      given: "a label that examples[0] lacks",
      allowed: "the same labels in every example",
    }));
  return [...missing, ...extra];
}

function issueOf(issue: z.core.$ZodIssue, given: unknown): RequestIssue {
  const path = issue.path.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`)).join("");
  const value = issue.path.reduce<unknown>(
    (at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key],
    given,
  );
  const shown = JSON.stringify(value) ?? typeof value;
  return {
    field: `examples${path}`,
    given: shown.length > 80 ? `${shown.slice(0, 80)}…` : shown,
    allowed: issue.message,
  };
}

function invalid(issues: RequestIssue[]): InvalidRequestError {
  const shown = issues.slice(0, 20);
  const rest = issues.length - shown.length;
  if (rest > 0) shown.push({ field: "examples", given: `${rest} more faults`, allowed: "none" });
  return new InvalidRequestError(shown, "examples");
}
