import { compress, decompress, init } from "@bokuweb/zstd-wasm";
import { expect, it } from "vitest";
import { decompressZstd } from "../src/decompress-zstd.ts";

it("shares no memory with others in the process who use the same module", async () => {
  const raw = Uint8Array.from({ length: 4 * 2 ** 20 }, (_, i) => (i * 2654435761) >>> 24);
  await init();
  const frame = compress(raw, 1).slice();
  expect(await decompressZstd(frame, raw.byteLength)).toEqual(raw);
  expect(decompress(frame)).toEqual(raw); // ours has not broken theirs
  await init();
  expect(await decompressZstd(frame, raw.byteLength)).toEqual(raw); // and theirs not ours
});
