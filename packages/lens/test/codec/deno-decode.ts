import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import process from "node:process";
import { compressZstd } from "../../src/codec/compress-zstd.ts";
import { decompressZstd } from "../../src/codec/decompress-zstd.ts";
import { frameDecoders } from "../../src/codec/frame-decoder.ts";
import { zstdFrames } from "../../src/codec/zstd-frames.ts";

// `deno run -A deno-decode.ts JOBS`: what zlib's own decoder, which Node 20 lacks, makes of [frames in base64, bytes] pairs.
const jobs = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as [string, number][];
const [decoder] = frameDecoders();
const results: string[] = [];
for (const [base64, expected] of jobs) {
  const outcome = decoder && decompressZstd(Buffer.from(base64, "base64"), expected, [decoder]);
  results.push(
    await Promise.resolve(outcome).then(
      (bytes) =>
        createHash("sha256")
          .update(bytes ?? "")
          .digest("hex"),
      (error: unknown) => (error as { code?: string }).code ?? String(error),
    ),
  );
}
const packed = await compressZstd(new Uint8Array(1000));
console.log(
  JSON.stringify({ name: decoder?.name, results, contentSize: zstdFrames(packed)[0]?.contentSize }),
);
