import { open } from "node:fs/promises";

/**
 * Puts other metadata of the same length into a safetensors file that was just written: they are the first of its header. Throws what the
 * system throws.
 */
export async function replaceMetadata(
  path: string,
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): Promise<void> {
  const bytesOf = (metadata: ReadonlyMap<string, string>): Buffer =>
    Buffer.from(`{"__metadata__":${JSON.stringify(Object.fromEntries(metadata))}`);
  const [old, bytes] = [bytesOf(before), bytesOf(after)];
  const file = await open(path, "r+");
  try {
    const found = Buffer.alloc(old.length);
    await file.read(found, 0, found.length, headerStart);
    if (bytes.length !== old.length || !found.equals(old)) throw new Error(`${path} has another header`);
    await file.write(bytes, 0, bytes.length, headerStart);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** The length of the header stands before it. */
const headerStart = 8;
