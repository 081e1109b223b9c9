/** How large a dataset of the contests is. */
export interface DatasetSize {
  rows: number;
  hiddenSize: number;
  dtype: "bfloat16" | "float32";
  /** Rows of a shard; left out, as many as `writeDataset` puts there. */
  shardRows?: number;
  /** Rows that tell their label in part, instead of patterns. */
  labelled?: boolean;
}

/** What the process of datasets is asked to do. */
export type DatasetTask =
  /** `held`: the rows are made before the clock starts, and all kept in memory. */
  | { do: "write"; folder: string; size: DatasetSize; held?: boolean }
  /** Its one layer becomes a tensor on this backend. */
  | { do: "tensor"; folder: string; backend: "cpu" | "wasm" }
  /** SHA-256 of that tensor's numbers. */
  | { do: "hash"; folder: string; backend: "cpu" | "wasm" }
  /** Opens a dataset and reads one column, for which every shard is opened. */
  | { do: "open"; folder: string }
  /** Reads its one layer as bits, then again in blocks, of which nothing is kept. */
  | { do: "read"; folder: string }
  /** Fits 5 folds × 8 C of logistic probes on its one layer, in blocks where it is large. */
  | { do: "fit"; folder: string };

/** Milliseconds of the task, and the most bytes that the process has held so far. */
export interface DatasetAnswer {
  ms: number;
  peak: number;
  hash?: string;
}
