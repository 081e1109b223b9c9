import type { ColumnField } from "../../shards/column-field.ts";
import { DatasetError } from "../dataset-error.ts";
import type { ViewLineage, ViewParts } from "./view-parts.ts";

/** What rows that go below each other must share. Throws DatasetError `sources_differ` that names the first difference. */
export function checkAgreement(first: ViewParts, other: ViewParts): void {
  const [a, b] = [facts(first), facts(other)];
  const what = Object.keys(a).find((key) => a[key] !== null && b[key] !== null && a[key] !== b[key]);
  if (what === undefined) return;
  throw differing(
    other.lineage.name,
    `${what} ${b[what]}`,
    `${what} ${a[what]}, as in ${first.lineage.name}`,
  );
}

/** Each as text; null where it is not known. */
function facts({ source, lineage: { about } }: ViewParts): Record<string, string | null> {
  const { chatTemplate } = about;
  return {
    model: about.model ?? null,
    checkpoint: about.checkpoint ?? null,
    "hidden size": String(source.hiddenSize),
    dtype: source.dtype,
    layers: source.layers.join(", "),
    "chat template": chatTemplate ? JSON.stringify(chatTemplate) : null,
  };
}

/** What is true of all rows: what one knows and another does not stays; selections and servers that differ are not kept. */
export function commonAbout(all: readonly ViewLineage["about"][]): ViewLineage["about"] {
  const known = <K extends keyof ViewLineage["about"]>(key: K): { [P in K]?: ViewLineage["about"][P] } => {
    const values = all.map((about) => about[key] ?? null);
    const same = values.every((value) => JSON.stringify(value) === JSON.stringify(values[0]));
    const value = same ? values[0] : partly.includes(key) ? values.find((one) => one !== null) : null;
    return value === null || value === undefined
      ? {}
      : ({ [key]: value } as { [P in K]?: ViewLineage["about"][P] });
  };
  return {
    ...known("model"),
    ...known("checkpoint"),
    ...known("selection"),
    ...known("server"),
    ...known("chatTemplate"),
  };
}

/** Known of some rows and checked not to differ. */
const partly: readonly string[] = ["model", "checkpoint", "chatTemplate"];

/**
 * The columns of several sources, those of the first before the others: of one type (int32 and float64 make float64), label where
 * one says label, nullable where one is or lacks it. Throws DatasetError `sources_differ`.
 */
export function unifyFields(all: readonly ViewParts[]): ColumnField[] {
  const fields = new Map<string, ColumnField>();
  for (const { source, lineage } of all) {
    for (const field of source.fields) {
      const before = fields.get(field.name);
      if (before) fields.set(field.name, unified(before, field, lineage.name));
      else fields.set(field.name, field);
    }
  }
  return [...fields.values()].map((field) => {
    const everywhere = all.every(({ source }) => source.columns.includes(field.name));
    return everywhere ? field : { ...field, nullable: true };
  });
}

function unified(a: ColumnField, b: ColumnField, name: string): ColumnField {
  const types = new Set([a.type, b.type]);
  const numbers = types.size === 2 && types.has("int32") && types.has("float64");
  if (types.size > 1 && !numbers)
    throw differing(name, `column ${b.name} of type ${b.type}`, `type ${a.type}, as in the rows above`);
  return {
    name: a.name,
    type: numbers ? "float64" : a.type,
    nullable: a.nullable || b.nullable,
    role: b.role === "label" ? "label" : a.role,
  };
}

function differing(path: string, found: string, expected: string): DatasetError {
  return new DatasetError("sources_differ", {
    path,
    found,
    expected,
    advice: "Only rows of one model, of the same layers, number type and column types, go into one dataset.",
  });
}
