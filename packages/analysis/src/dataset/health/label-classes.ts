import type { ColumnValue } from "../../shards/column-field.ts";
import type { ExampleFacts } from "./example-facts.ts";

/** A label with more values than this is no class label. */
const mostClasses = 20;

/** The examples that have a value of a label. */
export interface LabelledExamples {
  label: string;
  examples: { facts: ExampleFacts; value: ColumnValue }[];
  /** The values, the most frequent first, with how many examples have each. */
  classes: [ColumnValue, number][];
}

export function labelledExamples(label: string, examples: readonly ExampleFacts[]): LabelledExamples {
  const labelled = examples
    .map((facts) => ({ facts, value: facts.labels.get(label) ?? null }))
    .filter(({ value }) => value !== null);
  const counts = new Map<ColumnValue, number>();
  for (const { value } of labelled) counts.set(value, (counts.get(value) ?? 0) + 1);
  return { label, examples: labelled, classes: [...counts].sort((a, b) => b[1] - a[1]) };
}

/** Why a label has no classes to compare; undefined when it has. */
export function noClasses({ label, classes }: LabelledExamples): string | undefined {
  if (classes.length < 2)
    return `label ${label} has ${classes.length} value${classes.length === 1 ? "" : "s"}`;
  if (classes.length > mostClasses)
    return `label ${label} has ${classes.length} values, more than ${mostClasses} classes`;
  return undefined;
}

/** Why a label was not checked where some of its values, or what is not of them, are too rare. */
export function tooFew(
  { label, classes }: LabelledExamples,
  values: readonly ColumnValue[],
  what: string,
): string {
  const named = values.map((value) => JSON.stringify(value)).join(", ");
  const rest =
    classes.length > 2 && values.length < classes.length ? "; nothing was found of the others" : "";
  return `too few ${what} to tell ${label} = ${named} from the others${rest}`;
}

/** Each class against the others; of two classes one comparison says all: true, or 1, or the rarer one. */
export function comparedClasses({ classes }: LabelledExamples): ColumnValue[] {
  const values = classes.map(([value]) => value);
  if (values.length > 2) return values;
  return [values.find((value) => value === true || value === 1) ?? (values[1] as ColumnValue)];
}
