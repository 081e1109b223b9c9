import { type FileHandle, open } from "node:fs/promises";
import { dirname } from "node:path";
import { JournalError } from "../journal/journal-error.ts";
import type { JournalFile, JournalFiles, LinePlace } from "../journal/journal-files.ts";
import { lockFile } from "./lock-file.ts";

/** Bytes read at a time. */
const step = 1 << 20;
const newline = 10;

/** Opens a journal's file; see JournalFiles. */
export const openJournalFile: JournalFiles["open"] = async (path, reading) => {
  const unlock = await lockFile(path).catch((error: unknown) => {
    throw journalError("journal_unreadable", path, error);
  });
  let handle: FileHandle | undefined;
  try {
    handle = await opened(path);
    const { whole, torn } = await readLines(handle, reading.onLine);
    if (torn.length > 0) {
      if (!reading.mayCut(torn.toString())) {
        throw new JournalError("journal_invalid", `${path} is not a journal; name another file`, { path });
      }
      await handle.truncate(whole);
    }
    return journalFile(path, handle, unlock);
  } catch (error) {
    await handle?.close();
    await unlock();
    throw journalError("journal_unreadable", path, error);
  }
};

async function opened(path: string): Promise<FileHandle> {
  // Prompts' answers are nobody else's.
  const handle = await open(path, "a+", 0o600);
  if ((await handle.stat()).size > 0) return handle;
  // So that the name of a new file outlives a crash too. Not every system lets a folder be opened.
  const folder = await open(dirname(path), "r").catch(() => undefined);
  await folder?.sync().catch(() => undefined);
  await folder?.close();
  return handle;
}

/** `whole`: bytes up to the end of the last whole line. */
async function readLines(
  handle: FileHandle,
  onLine: (line: string, place: LinePlace) => void,
): Promise<{ whole: number; torn: Buffer }> {
  const buffer = Buffer.allocUnsafe(step);
  let begun: Buffer[] = [];
  let whole = 0;
  for (let position = 0; ;) {
    const { bytesRead } = await handle.read(buffer, 0, step, position);
    if (bytesRead === 0) return { whole, torn: Buffer.concat(begun) };
    position += bytesRead;
    let from = 0;
    for (let to; (to = buffer.indexOf(newline, from)) !== -1 && to < bytesRead; from = to + 1) {
      const line = Buffer.concat([...begun.splice(0), buffer.subarray(from, to)]);
      onLine(line.toString(), { offset: whole, length: line.length });
      whole += line.length + 1;
    }
    if (from < bytesRead) begun = [...begun, Buffer.from(buffer.subarray(from, bytesRead))];
  }
}

function journalFile(path: string, handle: FileHandle, unlock: () => Promise<void>): JournalFile {
  const waiting: { text: string; resolve: () => void; reject: (error: unknown) => void }[] = [];
  let writing: Promise<void> | undefined;
  let failed: Error | undefined;

  async function write(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.splice(0);
      try {
        if (failed !== undefined) throw failed;
        await handle.appendFile(batch.map(({ text }) => text).join(""));
        await handle.datasync();
        for (const { resolve } of batch) resolve();
      } catch (error) {
        // A line may be torn now: nothing may be written after it.
        failed ??= journalError("journal_unwritable", path, error);
        for (const { reject } of batch) reject(failed);
      }
    }
    writing = undefined;
  }

  return {
    append: (text) =>
      new Promise((resolve, reject) => {
        waiting.push({ text, resolve, reject });
        writing ??= write();
      }),
    async read({ offset, length }) {
      const buffer = Buffer.allocUnsafe(length);
      for (let done = 0; done < length;) {
        const { bytesRead } = await handle.read(buffer, done, length - done, offset + done);
        if (bytesRead === 0) break;
        done += bytesRead;
      }
      return buffer.toString();
    },
    async close() {
      await writing;
      await handle.close();
      await unlock();
    },
  };
}

function journalError(code: string, path: string, error: unknown): Error {
  const fault = error as NodeJS.ErrnoException;
  const { code: reason } = fault;
  if (error instanceof JournalError || reason === undefined) return fault;
  const what = code === "journal_unreadable" ? "opened" : "written";
  return new JournalError(code, `${path} cannot be ${what} (${reason})`, { path, reason });
}
