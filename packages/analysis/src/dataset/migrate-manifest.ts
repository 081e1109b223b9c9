import { z } from "zod";
import { standardColumns, type ColumnField } from "../shards/column-field.ts";

/** What version 1 had in other places; the rest passes through and is checked as version 2. */
const versionOne = z.looseObject({
  schemaVersion: z.literal(1),
  selection: z.union([z.enum(["last", "first", "all"]), z.strictObject({ last: z.int().min(1) })]),
  labels: z.record(z.string(), z.enum(["bool", "float64", "utf8"])),
  plan: z.unknown(),
});

/**
 * A manifest of version 1 as version 2. Version 1 had labels by type, no extra columns, short names for selections, and was
 * always collected. What does not look like version 1 is returned as it is, to be refused.
 */
export function migrateManifest(json: unknown): unknown {
  const parsed = versionOne.safeParse(json);
  if (!parsed.success) return json;
  const { labels, plan, selection, ...rest } = parsed.data;
  const { example, group, split, position, token_id, token } = standardColumns;
  const labelFields = Object.entries(labels).map(([name, type]): ColumnField => ({
    name,
    type,
    nullable: false,
    role: "label",
  }));
  return {
    ...rest,
    schemaVersion: 2,
    selection: selectionData(selection),
    columns: [example, group, split, ...labelFields, { ...position, nullable: false }, token_id, token],
    origin: { kind: "collected", plan },
  };
}

function selectionData(selection: z.infer<typeof versionOne>["selection"]): object {
  if (selection === "first") return { kind: "first", count: 1 };
  if (selection === "all") return { kind: "every", area: "all" };
  return { kind: "last", count: selection === "last" ? 1 : selection.last, area: "all" };
}
