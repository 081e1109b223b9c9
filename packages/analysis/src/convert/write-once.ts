import { lstat } from "node:fs/promises";
import { DatasetError } from "../dataset/dataset-error.ts";
import { checkPath } from "../options/check-path.ts";
import { writeFileAtomic, type WrittenFile } from "../files/file-atomic.ts";

export interface WriteOptions {
  /** Write over a file that is there. */
  replace?: boolean;
  signal?: AbortSignal;
}

/** Writes a file whole or not at all, and not over another one unless told to. Throws DatasetError. */
export async function writeOnce(
  path: string,
  chunks: AsyncIterable<Uint8Array>,
  { replace = false, signal }: WriteOptions = {},
): Promise<WrittenFile> {
  if (!replace) await refuseTaken(path);
  return writeFileAtomic(path, untilAborted(chunks, signal)).catch((error: unknown) => {
    // Else it would look like a disk that fails.
    throw signal?.aborted === true ? signal.reason : error;
  });
}

/** Throws DatasetError `file_exists` where something has this name. */
export async function refuseTaken(path: string): Promise<void> {
  checkPath(path, "path");
  const taken = await lstat(path).then(
    () => true,
    () => false,
  );
  if (!taken) return;
  throw new DatasetError("file_exists", {
    path,
    found: "something of that name",
    expected: "a name that is free",
    advice: "Choose another name, or have it replaced (replace: true, or --replace).",
  });
}

export async function* untilAborted<T>(
  items: AsyncIterable<T>,
  signal: AbortSignal | undefined,
): AsyncGenerator<T> {
  for await (const item of items) {
    signal?.throwIfAborted();
    yield item;
  }
}
