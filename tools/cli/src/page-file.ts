import { open } from "node:fs/promises";
import { UsageError } from "./usage-error.ts";

/** What each page of this package begins with. */
const begins = "<!doctype html";

/** Refuses a file that is there and is no page: a result's name given to `--out` would lose the result. */
export async function refuseOtherFile(out: string): Promise<void> {
  const file = await open(out, "r").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    throw new UsageError(`--out: ${out} cannot be looked at (${error.code ?? error.message})`);
  });
  if (file === undefined) return;
  try {
    const { buffer, bytesRead } = await file
      .read(Buffer.alloc(begins.length), 0, begins.length, 0)
      .catch(() => ({
        buffer: Buffer.alloc(0),
        bytesRead: 0,
      }));
    if (buffer.toString("latin1", 0, bytesRead).toLowerCase() === begins) return;
  } finally {
    await file.close();
  }
  throw new UsageError(`--out: ${out} is there and is no page; name another file, such as report.html`);
}
