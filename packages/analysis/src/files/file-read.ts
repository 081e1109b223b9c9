import { constants, type BigIntStats } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";

/** A range of bytes in the file. */
export interface Region {
  offset: number;
  length: number;
}

/** What is wrong with the content of a file, for the caller to wrap with its path. */
export class LayoutError extends Error {}

/**
 * Opens a file for reading, if it is a regular one: opening a pipe would wait for a writer, reading a device might never end.
 * Throws LayoutError for other kinds.
 */
export async function openRegular(path: string): Promise<{ file: FileHandle; found: BigIntStats }> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = await file.stat({ bigint: true });
    if (!found.isFile()) throw new LayoutError("not a regular file");
    return { file, found };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Reads exactly this range, into memory of its own (so that it is aligned for every number type). */
export async function readRange(
  file: FileHandle,
  { offset, length }: Region,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(length);
  await readInto(file, bytes, offset);
  return bytes;
}

/** One call of the file system takes less than 2 GiB. */
const longestRead = 1 << 30;

export async function readInto(file: FileHandle, bytes: Uint8Array, offset: number): Promise<void> {
  for (let done = 0; done < bytes.byteLength;) {
    const length = Math.min(longestRead, bytes.byteLength - done);
    const { bytesRead } = await file.read(bytes, done, length, offset + done);
    if (bytesRead === 0) throw new LayoutError("an end of file in the middle of its data");
    done += bytesRead;
  }
}
