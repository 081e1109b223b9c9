import type { RequestIssue } from "@residua/lens";

export type LabelType = "bool" | "float64" | "utf8";
/** Numbers of an extra column are int32 where all of them are whole and fit. */
export type ExtraType = LabelType | "int32";
export type ExampleValue = boolean | number | string | null;
type Values = Readonly<Record<string, ExampleValue>>;

/** Columns that examples bring: labels, or extra ones. */
export interface ExampleColumns<T extends ExtraType> {
  /** Type of each, names ascending. */
  types: Record<string, T>;
  /** Names of those without a value in some example. */
  nullable: string[];
  issues: RequestIssue[];
}

interface Column {
  type: LabelType;
  /** Index of the example that the type is from. */
  first: number;
  isInt32: boolean;
  /** How many examples have a value, and how many name it. */
  values: number;
  named: number;
}

/** The types of the examples' labels. Every example names the same labels; null says that it has no value. */
export function labelColumns(all: readonly Values[]): ExampleColumns<LabelType> {
  const { columns, issues } = columnsOf(all, "labels");
  const names = new Set(columns.keys());
  all.forEach((labels, i) => {
    const missing = names.size === Object.keys(labels).length ? [] : [...names];
    for (const name of missing.filter((name) => !Object.hasOwn(labels, name)))
      issues.push({
        field: `examples[${i}].labels.${name}`,
        given: "nothing",
        allowed: "the same labels in every example; null where there is no value",
      });
  });
  for (const [name, { values }] of columns)
    if (values === 0)
      issues.push({
        field: `examples[*].labels.${name}`,
        given: "null in every example",
        allowed: "a label that some example has",
      });
  return { types: typesOf(columns, ({ type }) => type), nullable: nullableOf(columns, all.length), issues };
}

/** The types of the examples' extra columns. An example that does not name one has no value there. */
export function extraColumns(all: readonly Values[]): ExampleColumns<ExtraType> {
  const { columns, issues } = columnsOf(all, "extra");
  const types = typesOf(columns, ({ type, isInt32 }): ExtraType =>
    type === "float64" && isInt32 ? "int32" : type,
  );
  return { types, nullable: nullableOf(columns, all.length), issues };
}

function columnsOf(
  all: readonly Values[],
  part: "labels" | "extra",
): { columns: Map<string, Column>; issues: RequestIssue[] } {
  const columns = new Map<string, Column>();
  const issues: RequestIssue[] = [];
  all.forEach((values, i) => {
    for (const [name, value] of Object.entries(values)) {
      const column = columns.get(name) ?? { type: "utf8", first: i, isInt32: true, values: 0, named: 0 };
      columns.set(name, column);
      column.named++;
      if (value === null) continue;
      const type = typeof value === "boolean" ? "bool" : typeof value === "number" ? "float64" : "utf8";
      if (column.values++ === 0) Object.assign(column, { type, first: i });
      column.isInt32 &&= typeof value === "number" && (value | 0) === value && !Object.is(value, -0);
      if (type !== column.type)
        issues.push({
          field: `examples[${i}].${part}.${name}`,
          given: typeof value,
          allowed: `${column.type}, as in examples[${column.first}]`,
        });
    }
  });
  return { columns, issues };
}

function typesOf<T>(columns: ReadonlyMap<string, Column>, type: (column: Column) => T): Record<string, T> {
  const names = [...columns.keys()].sort();
  return Object.fromEntries(names.map((name) => [name, type(columns.get(name) as Column)]));
}

function nullableOf(columns: ReadonlyMap<string, Column>, examples: number): string[] {
  return [...columns].flatMap(([name, { values }]) => (values < examples ? [name] : [])).sort();
}
