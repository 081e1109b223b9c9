// Slow tests have modules of their own: here no other file may have used the same one before.
import { Buffer } from "node:buffer";
import { compress, decompress, init } from "@bokuweb/zstd-wasm";
import { expect, it } from "vitest";
import { decompressZstd } from "../../src/codec/decompress-zstd.ts";

it("shares no memory with others in the process who use the same module", async () => {
  const raw = Uint8Array.from({ length: 4 * 2 ** 20 }, (_, i) => (i * 2654435761) >>> 24);
  const same = (bytes: Uint8Array) => Buffer.compare(bytes, raw) === 0;
  await init();
  const frame = compress(raw, 1).slice();
  expect(same(await decompressZstd(frame, raw.byteLength))).toBe(true);
  expect(same(decompress(frame))).toBe(true); // ours has not broken theirs
  await init();
  expect(same(await decompressZstd(frame, raw.byteLength))).toBe(true); // and theirs not ours
});
