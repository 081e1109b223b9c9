import { createHash, randomUUID } from "node:crypto";
import { open, readdir, rename, rm, type FileHandle } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileError } from "../dataset/dataset-error.ts";

/** Prefix of files that are still being written; a crash may leave one, and nothing ever reads them. */
const temporary = ".tmp-";

export interface WrittenFile {
  bytes: number;
  /** Hex. */
  sha256: string;
}

/**
 * Writes a file so that its final name only ever shows the whole content: temporary name in the same folder, fsync, rename,
 * fsync of the folder. `hash` reads the file's SHA-256 in another thread; without it the bytes are hashed on their way. Throws DatasetError (`disk_full`, `not_writable`, `write_failed`) and then leaves nothing behind.
 */
export async function writeFileAtomic(
  path: string,
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  hash?: (path: string) => Promise<string>,
): Promise<WrittenFile> {
  const draft = join(dirname(path), `${temporary}${basename(path)}-${randomUUID()}`);
  try {
    const written = await writeDraft(draft, chunks, hash);
    await rename(draft, path);
    await syncFolder(dirname(path));
    return written;
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    throw fileError(error, path, "write");
  }
}

async function writeDraft(
  path: string,
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  hashOf: ((path: string) => Promise<string>) | undefined,
): Promise<WrittenFile> {
  const hash = createHash("sha256");
  let bytes = 0;
  const file = await open(path, "wx");
  try {
    for await (const chunk of chunks) {
      for (const piece of piecesOf(chunk)) {
        // Another thread writes what this one hashes.
        const writing = writeAll(file, piece);
        if (!hashOf) hash.update(piece);
        await writing;
      }
      bytes += chunk.byteLength;
    }
    const [sha256] = await Promise.all([hashOf?.(path) ?? hash.digest("hex"), file.sync()]);
    return { bytes, sha256 };
  } finally {
    await file.close();
  }
}

/** Neither a hash nor one call of the file system takes 2 GiB. */
function* piecesOf(chunk: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < chunk.byteLength; at += pieceBytes) yield chunk.subarray(at, at + pieceBytes);
}

const pieceBytes = 64 << 20;

/** One `write` may take fewer bytes than it was given, on a nearly full disk for one. */
export async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.byteLength;) {
    done += (await file.write(bytes, done, bytes.byteLength - done)).bytesWritten;
  }
}

/** A rename is only durable once its folder is. Some systems cannot sync a folder; there is nothing more to do then. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r").catch(() => undefined);
  try {
    await handle?.sync();
  } catch {
    // EINVAL or EISDIR: not offered here.
  } finally {
    await handle?.close();
  }
}

/** Removes what killed writers left. Only the owner of the folder's lock may call it. */
export async function removeDrafts(folder: string): Promise<void> {
  const names = await readdir(folder);
  await Promise.all(names.filter((name) => name.startsWith(temporary)).map((name) => rm(join(folder, name))));
}
