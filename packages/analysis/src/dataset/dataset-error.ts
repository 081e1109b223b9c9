import { ResiduaError } from "@residua/lens";

/** What is wrong with a dataset folder, a shard in it, or with writing there. */
export type DatasetErrorCode =
  /** The path is no folder, or has no `dataset.json`. */
  | "not_a_dataset"
  /** A collection began here and has not ended. */
  | "dataset_incomplete"
  | "schema_version_unknown"
  | "manifest_invalid"
  | "shard_missing"
  /** A shard is a link that leaves the folder, or is not a regular file. */
  | "outside_folder"
  /** The bytes on disk are more or fewer than the manifest says. */
  | "shard_size"
  | "shard_checksum"
  /** Not the Arrow file that the format asks for. */
  | "shard_corrupt"
  /** A whole shard, but of another dataset or another place in this one. */
  | "shard_mismatch"
  | "no_such_layer"
  /** Bits were asked for of rows that are float32. */
  | "not_16_bit"
  | "no_such_column"
  | "layer_too_large"
  /** There would be no row in the dataset that was to be written. */
  | "no_rows"
  /** A file of another format is not what it should be. */
  | "file_invalid"
  /** A file that Residua exported does not hold the rows that were written. */
  | "file_checksum"
  /** A column of such a file cannot be taken as it is, or a column of the dataset to be written cannot hold a value. */
  | "column_invalid"
  | "source_invalid"
  /** A number would change its value. */
  | "not_exact"
  /** A file that was to be written is there already. */
  | "file_exists"
  /** The folder holds, or is collecting, something else. */
  | "dataset_differs"
  | "dataset_locked"
  /** Two datasets that were to be put together are of different models, layers, widths or columns. */
  | "sources_differ"
  /** Two datasets that were to be put together have an example of the same id. */
  | "example_clash"
  /** A table that was to be joined does not fit the rows. */
  | "join_mismatch"
  /** The captures of one run come from different checkpoints, widths or layers. */
  | "capture_differs"
  /** So many examples failed that the run would come to nothing. */
  | "too_many_failures"
  /** The server does not tell the ids of the tokens that it generated. */
  | "token_ids_unknown"
  | "disk_full"
  | "not_writable"
  | "write_failed"
  | "read_failed";

export interface DatasetErrorFields {
  /** The file or folder at fault. */
  path: string;
  /** What is wrong, as found. */
  found: string;
  /** What should have been there. */
  expected: string;
  /** What the reader of the message can do. */
  advice: string;
  cause?: unknown;
}

/** The one error of activation datasets: says which file, what was expected, what was found, and what to do. */
export class DatasetError extends ResiduaError {
  readonly path: string;
  readonly found: string;
  readonly expected: string;
  readonly advice: string;
  declare readonly code: DatasetErrorCode;

  constructor(code: DatasetErrorCode, fields: DatasetErrorFields) {
    const { path, found, expected, advice, cause } = fields;
    super(code, `${path}: ${found}; expected ${expected}. ${advice}`, { path, found, expected, advice });
    this.path = path;
    this.found = found;
    this.expected = expected;
    this.advice = advice;
    if (cause !== undefined) this.cause = cause;
  }
}

/** A failed system call as a DatasetError; other errors pass unchanged. */
export function fileError(error: unknown, path: string, doing: "read" | "write"): unknown {
  if (!(error instanceof Error) || error instanceof ResiduaError) return error;
  const system = (error as NodeJS.ErrnoException).code ?? error.name;
  if (system === "ENOSPC" || system === "EDQUOT" || system === "EFBIG") {
    return new DatasetError("disk_full", {
      path,
      found: `no room left to write (${system})`,
      expected: "enough free disk space",
      advice: "Free some space and run the same again: it begins anew.",
      cause: error,
    });
  }
  if (doing === "write" && ["EACCES", "EPERM", "EROFS", "ENOTDIR", "EISDIR", "EEXIST"].includes(system)) {
    return new DatasetError("not_writable", {
      path,
      found: `cannot be written (${system})`,
      expected: "a folder that this user may write to",
      advice: "Choose another folder, or change its permissions.",
      cause: error,
    });
  }
  return new DatasetError(doing === "write" ? "write_failed" : "read_failed", {
    path,
    found: `cannot be ${doing === "write" ? "written" : "read"} (${system})`,
    expected: "a file that can be",
    advice: "Check the disk and the path.",
    cause: error,
  });
}
