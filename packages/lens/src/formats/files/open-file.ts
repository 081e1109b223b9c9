import { open, type FileHandle } from "node:fs/promises";
import { basename } from "node:path";
import { checkFormatArguments } from "../../arguments/check-arguments.ts";
import { text } from "../../arguments/kinds.ts";
import { FormatError } from "../format-error.ts";
import { readExactly } from "./read-exactly.ts";

/** A file whose size is known and which is read in parts. */
export interface RangeFile {
  /** Name without its folder, for messages. */
  readonly name: string;
  readonly size: number;
  read(position: number, length: number): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Opens a file for reads by range. Errors `format_missing`, `format_invalid` (a folder). */
export async function openFile(path: string): Promise<RangeFile> {
  checkFormatArguments("a file", { path: [path, text] });
  const name = basename(path);
  const handle = await open(path, "r").catch((cause: NodeJS.ErrnoException) => {
    throw new FormatError(
      "format_missing",
      `${path} cannot be read (${cause.code ?? cause.message})`,
      { file: name },
      { cause },
    );
  });
  try {
    return rangeFile(handle, name, await regularSize(handle, path));
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Opens a file, hands it over, and closes it whatever happens. */
export async function withFile<T>(path: string, use: (file: RangeFile) => Promise<T>): Promise<T> {
  const file = await openFile(path);
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

async function regularSize(handle: FileHandle, path: string): Promise<number> {
  const stat = await handle.stat();
  if (stat.isFile()) return stat.size;
  throw new FormatError("format_invalid", `${path} is not a file`);
}

function rangeFile(handle: FileHandle, name: string, size: number): RangeFile {
  return {
    name,
    size,
    read: (position, length) => readExactly(handle, position, length, name),
    close: () => handle.close(),
  };
}
