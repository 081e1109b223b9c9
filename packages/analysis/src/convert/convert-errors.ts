import { ResiduaError } from "@residua/lens";
import { LayoutError } from "../files/file-read.ts";
import { DatasetError, fileError } from "../dataset/dataset-error.ts";

/** A column of a file that cannot be taken as it is. */
export function columnError(path: string, column: string, found: string, expected: string, advice: string) {
  return new DatasetError("column_invalid", {
    path,
    found: `column ${JSON.stringify(column)} ${found}`,
    expected,
    advice,
  });
}

/** Runs what reads a file; what is wrong with its bytes becomes a DatasetError `file_invalid` with its path. */
export async function readingFile<T>(path: string, kind: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw readError(path, kind, error);
  }
}

function readError(path: string, kind: string, error: unknown): unknown {
  if (error instanceof DatasetError) return error;
  // What decodes data stumbles over damaged ones; a failed system call has a code.
  const stumbled = error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError;
  const isData = error instanceof LayoutError || error instanceof ResiduaError || stumbled;
  if (!isData || (error as NodeJS.ErrnoException).syscall !== undefined)
    return fileError(error, path, "read");
  return new DatasetError("file_invalid", {
    path,
    found: error.message,
    expected: `a whole ${kind} file`,
    advice: "Write the file again, or check that the path and the format are right.",
    cause: error,
  });
}
