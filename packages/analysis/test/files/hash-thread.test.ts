import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { writeFileAtomic } from "../../src/files/file-atomic.ts";
import { startHashThread, type HashThread } from "../../src/files/hash-thread.ts";

let folder: string;
let thread: HashThread;
const bytes = (length: number) => new Uint8Array(length).map((_, i) => i * 31);
const sha256 = (...parts: Uint8Array[]) => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest("hex");
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "residua-hash-"));
  thread = startHashThread();
});
afterEach(async () => {
  await thread.end();
  await rm(folder, { recursive: true });
});

describe("hashing in a thread", () => {
  test("several files at a time, each by its own bytes", async () => {
    const sizes = [0, 1, 1 << 20, (1 << 20) + 1, 3 << 20];
    const paths = sizes.map((size) => join(folder, `${size}`));
    await Promise.all(sizes.map((size, i) => writeFile(paths[i]!, bytes(size))));
    const found = await Promise.all(paths.map((path) => thread.hash(path)));
    expect(found).toEqual(sizes.map((size) => sha256(bytes(size))));
  });

  test("a written file has the same hash as without the thread", async () => {
    const chunks = [bytes(5), bytes(2 << 20), bytes(1)];
    const one = await writeFileAtomic(join(folder, "one"), chunks, thread.hash);
    expect(one).toEqual(await writeFileAtomic(join(folder, "two"), chunks));
    expect(one).toEqual({ bytes: (2 << 20) + 6, sha256: sha256(...chunks) });
  });

  test("a thread that has ended is done without", async () => {
    const path = join(folder, "file");
    await writeFile(path, bytes(9));
    const early = thread.hash(path);
    await thread.end();
    expect([await early, await thread.hash(path)]).toEqual([sha256(bytes(9)), sha256(bytes(9))]);
  });

  test("a file that is not there is an error, and the thread goes on", async () => {
    await expect(thread.hash(join(folder, "none"))).rejects.toThrow();
    const path = join(folder, "file");
    await writeFile(path, bytes(9));
    expect(await thread.hash(path)).toBe(sha256(bytes(9)));
  });
});
