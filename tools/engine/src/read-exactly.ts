import type { FileHandle } from "node:fs/promises";

/** Reads `length` bytes from `position`; calls `ended` with the byte reached when the file ends before. */
export async function readExactly(
  handle: FileHandle,
  position: number,
  length: number,
  ended: (at: number) => never,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(length);
  for (let done = 0; done < length;) {
    const { bytesRead } = await handle.read(bytes, done, Math.min(length - done, 1 << 30), position + done);
    if (bytesRead === 0) ended(position + done);
    done += bytesRead;
  }
  return bytes;
}
