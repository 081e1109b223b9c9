import { type ChatMessage, InvalidRequestError, type RequestIssue } from "@residua/lens";
import { z } from "zod";
import {
  type ExampleValue,
  extraColumns,
  type ExtraType,
  labelColumns,
  type LabelType,
} from "./example-columns.ts";
import { repeatedIds } from "./repeated-ids.ts";
import { allowedWords } from "../options/allowed-words.ts";
import { optionIssue } from "../options/check-options.ts";
import { isWellFormed } from "../shards/well-formed.ts";

interface ExampleFields {
  /** Unique in its list. Default: its index, as text. */
  id?: string;
  /** Examples of one group never part into training and test rows. Default: the id, so each is its own group. */
  group?: string;
  /** The same names, with values of the same type, in every example. null where this one has no value. */
  labels?: Readonly<Record<string, ExampleValue>>;
  split?: string;
  /** Columns that are carried along. An example that lacks one has null there. */
  extra?: Readonly<Record<string, ExampleValue>>;
}

/** A prompt (text, or token ids) or a conversation, with its labels. */
export type Example = ExampleFields &
  (
    | { prompt: string | readonly number[]; messages?: never }
    | { messages: readonly ChatMessage[]; prompt?: never }
  );

/** An example with its defaults filled in. One of prompt and messages is null. */
export type CheckedExample = {
  id: string;
  group: string;
  labels: Record<string, ExampleValue>;
  split: string | null;
  extra: Record<string, ExampleValue>;
} & ({ prompt: string | number[]; messages: null } | { prompt: null; messages: ChatMessage[] });

export interface CheckedExamples {
  examples: CheckedExample[];
  /** Type of each label, names ascending. */
  labels: Record<string, LabelType>;
  /** Type of each extra column, names ascending. */
  extra: Record<string, ExtraType>;
  /** Names of the labels and extra columns that some example has no value for, ascending. */
  nullable: string[];
}

/** Column names that labels and extra columns cannot take. */
const reservedColumns: readonly string[] = [
  "example",
  "group",
  "split",
  "position",
  "token_id",
  "token",
  "role",
  "text",
  "token_ids",
  "prompt_length",
  "content_hash",
];

/** Whether a dataset has a column of this name whatever the examples bring. */
export function isReservedColumn(name: string): boolean {
  return reservedColumns.includes(name) || /^layer_-?\d+$/.test(name);
}

const text = z.string().refine(isWellFormed, "well-formed text (it has half of a surrogate pair)");
const name = text
  .min(1)
  .refine(
    (value) => !isReservedColumn(value),
    `a name other than ${reservedColumns.join(", ")} and layer_N, which are columns already`,
  );
// zod passes over a key "__proto__"; it must not vanish in silence.
const columns = z
  .custom<Record<string, unknown>>()
  .refine((values) => !Object.hasOwn(values ?? {}, "__proto__"), 'names other than "__proto__"')
  .pipe(
    z.record(
      name,
      z.union(
        [z.boolean(), z.number(), text, z.null()],
        "true, false, a finite number, well-formed text or null",
      ),
    ),
  )
  .default({});
const message = z.looseObject({ role: text.min(1), content: text });

const exampleSchema = z
  .strictObject({
    id: text.min(1).optional(),
    prompt: z
      .union(
        [text, z.array(z.int().min(0)).min(1)],
        "well-formed text, or token ids, which are whole numbers from 0",
      )
      .optional(),
    messages: z.array(message).min(1).optional(),
    group: text.min(1).optional(),
    labels: columns,
    split: text.min(1).optional(),
    extra: columns,
  })
  .refine(
    ({ prompt, messages }) => (prompt === undefined) !== (messages === undefined),
    "exactly one of prompt (a text or token ids) and messages",
  );

/** Checks a list of examples and fills in defaults. Throws InvalidRequestError that names each fault, at most twenty of them. */
export function checkExamples(given: readonly Example[]): CheckedExamples {
  const parsed = z.array(exampleSchema).min(1).safeParse(given, { error: allowedWords });
  if (!parsed.success)
    throw invalidExamples(
      parsed.error.issues.slice(0, faultsNamed).map((issue) => optionIssue(issue, given, "examples")),
      parsed.error.issues.length,
    );
  const examples = parsed.data.map(({ id, prompt, messages, group, labels, split, extra }, i) => ({
    id: id ?? String(i),
    prompt: prompt ?? null,
    messages: messages ?? null,
    group: group ?? id ?? String(i),
    labels,
    split: split ?? null,
    extra,
  })) as CheckedExample[];
  const labels = labelColumns(examples.map((example) => example.labels));
  const extra = extraColumns(examples.map((example) => example.extra));
  const both = Object.keys(extra.types).filter((column) => Object.hasOwn(labels.types, column));
  const issues = [
    ...repeatedIds(
      examples.map(({ id }) => id),
      "examples",
    ),
    ...labels.issues,
    ...extra.issues,
    ...both.map((column) => ({
      field: `examples[*].extra.${column}`,
      given: "a label of the same name",
      allowed: "one column a name",
    })),
  ];
  if (issues.length > 0) throw invalidExamples(issues);
  return {
    examples,
    labels: labels.types,
    extra: extra.types,
    nullable: [...labels.nullable, ...extra.nullable].sort(),
  };
}

const faultsNamed = 20;

/** Names at most twenty faults and counts the rest. */
export function invalidExamples(issues: readonly RequestIssue[], count = issues.length): InvalidRequestError {
  const shown = issues.slice(0, faultsNamed);
  const rest = count - shown.length;
  if (rest > 0) shown.push({ field: "examples", given: `${rest} more faults`, allowed: "none" });
  return new InvalidRequestError(shown, "examples");
}
