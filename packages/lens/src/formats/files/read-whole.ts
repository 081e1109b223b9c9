import { FormatError } from "../format-error.ts";
import { withFile } from "./open-file.ts";

/** Reads a file into memory. Error `format_too_large` over `most` bytes, before any is read. */
export async function readWhole(path: string, most = 2 ** 30): Promise<Uint8Array> {
  return withFile(path, async (file) => {
    if (file.size <= most) return file.read(0, file.size);
    throw new FormatError(
      "format_too_large",
      `${file.name} has ${file.size} bytes; at most ${most} are read`,
      { file: file.name },
    );
  });
}
