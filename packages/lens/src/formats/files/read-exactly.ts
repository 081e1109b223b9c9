import type { FileHandle } from "node:fs/promises";
import { FormatError } from "../format-error.ts";

/** Reads `length` bytes from `position`. Error `format_truncated` where the file ends before. */
export async function readExactly(
  handle: FileHandle,
  position: number,
  length: number,
  file: string,
): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  for (let done = 0; done < length;) {
    // A read of 2 GiB or more fails.
    const { bytesRead } = await handle.read(bytes, done, Math.min(length - done, 2 ** 30), position + done);
    if (bytesRead === 0) {
      throw new FormatError(
        "format_truncated",
        `${file} ended at byte ${position + done} while it was read`,
        {
          file,
        },
      );
    }
    done += bytesRead;
  }
  return bytes;
}
