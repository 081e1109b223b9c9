import type { ActivationDataset, ColumnField, ColumnValue } from "@residua/analysis";

/** A dataset of the run, its columns read once. */
export interface RunDataset {
  /** Its folder in the run; "." is the run itself. */
  readonly place: string;
  readonly dataset: ActivationDataset;
  /** Columns that a table of rows shows, in order. */
  readonly shown: readonly ColumnField[];
  /** Values by row. Throws DatasetError `no_such_column`. */
  column(name: string): Promise<readonly ColumnValue[]>;
}

/** Long, or of no use to a reader. */
const hidden = new Set(["text", "token_ids", "prompt_length", "content_hash", "token_id"]);

export function runDataset(place: string, dataset: ActivationDataset): RunDataset {
  const read = new Map<string, Promise<readonly ColumnValue[]>>();
  return {
    place,
    dataset,
    shown: dataset.fields.filter(({ name, type }) => !hidden.has(name) && type !== "int32[]"),
    column(name) {
      const before = read.get(name);
      if (before !== undefined) return before;
      const now = dataset.column(name);
      read.set(name, now);
      now.catch(() => read.delete(name));
      return now;
    },
  };
}
