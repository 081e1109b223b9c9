import { z } from "zod";

/** What a column that is not a layer holds. Numbers beyond 2^53 are kept as texts. */
const columnTypes = ["utf8", "bool", "float64", "int32", "int32[]"] as const;
export type ColumnType = (typeof columnTypes)[number];

export type ColumnValue = string | number | boolean | readonly number[] | null;

export const columnFieldSchema = z.object({
  name: z.string().min(1),
  type: z.enum(columnTypes),
  nullable: z.boolean(),
  /** `standard`: of every dataset, with a fixed meaning. `label`: what probes learn. `extra`: whatever else is known of a row. */
  role: z.enum(["standard", "label", "extra"]),
});
/** A column that is not a layer. */
export type ColumnField = z.infer<typeof columnFieldSchema>;

const standard = (name: string, type: ColumnType, nullable = true): ColumnField => ({
  name,
  type,
  nullable,
  role: "standard",
});

/**
 * The columns that every new dataset has, but for the last, which collected ones have. The last four are of the example: they
 * stand in its first row and are null in its other rows.
 */
export const standardColumns = {
  example: standard("example", "utf8", false),
  group: standard("group", "utf8", false),
  split: standard("split", "utf8"),
  /** Null in pooled rows. */
  position: standard("position", "int32"),
  token_id: standard("token_id", "int32"),
  token: standard("token", "utf8"),
  /** `prompt`, `generated`, or the role of a chat message. */
  role: standard("role", "utf8"),
  /** The prompt as text. */
  text: standard("text", "utf8"),
  /** Ids of the prompt's and the generated tokens. */
  token_ids: standard("token_ids", "int32[]"),
  prompt_length: standard("prompt_length", "int32"),
  /** Of a collected example: hash of what its rows follow from. */
  content_hash: standard("content_hash", "utf8"),
} as const satisfies Record<string, ColumnField>;

/** Columns of which only an example's first row has a value. */
export const exampleColumns: readonly string[] = ["text", "token_ids", "prompt_length", "content_hash"];

/** Standard columns with others between what names a row and what is known of its token. */
export function datasetFields(others: readonly ColumnField[]): ColumnField[] {
  const { example, group, split, content_hash: _collected, ...rest } = standardColumns;
  return [example, group, split, ...others, ...Object.values(rest)];
}

/** Whether a column of this name could be mistaken for another one of a dataset. */
export function isReserved(name: string): boolean {
  return Object.hasOwn(standardColumns, name) || /^layer_-?\d+$/.test(name);
}
