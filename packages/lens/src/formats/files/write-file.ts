import { randomBytes } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import { checkFormatArguments } from "../../arguments/check-arguments.ts";
import { text } from "../../arguments/kinds.ts";

/** Parts of a file in their order; a writer asks for the next only when the one before is on disk. */
export type FileParts = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/** Writes a file whole or not at all: under another name in the same folder first, then renamed over `path`. */
export async function writeFileWhole(path: string, parts: FileParts): Promise<void> {
  checkFormatArguments("a file", { path: [path, text] });
  const unfinished = `${path}.${randomBytes(6).toString("hex")}.unfinished`;
  try {
    const handle = await open(unfinished, "wx");
    try {
      for await (const part of parts) await handle.writeFile(part);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}
