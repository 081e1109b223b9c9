import * as zlib from "node:zlib";
import type { FrameDecoder } from "./frame-decoder.ts";

interface Output {
  maxOutputLength: number;
  chunkSize: number;
}

/** What Node has from 22.15 on, and Deno; the types of Node 20 know nothing of it. */
const { zstdDecompress, zstdCompressSync } = zlib as {
  zstdDecompress?: (
    frame: Uint8Array,
    output: Output,
    done: (error: Error | null, bytes: Uint8Array) => void,
  ) => void;
  zstdCompressSync?: (bytes: Uint8Array, options: { pledgedSrcSize: number }) => Uint8Array;
};

/** Node's own zstd, in its thread pool; undefined where Node has none. */
export function nodeDecoder(): FrameDecoder | undefined {
  if (zstdDecompress === undefined) return undefined;
  return {
    name: "node",
    takes: () => true,
    decode: (bytes, { contentSize }, limit) =>
      new Promise((resolve, reject) => {
        // One output buffer that is never full: no second one, and no copy.
        const chunkSize = Math.max(64, (contentSize ?? limit) + 1);
        zstdDecompress(bytes, { maxOutputLength: Math.max(1, limit), chunkSize }, (error, decoded) =>
          error ? reject(error) : resolve(decoded),
        );
      }),
  };
}

/** One frame, level 3; undefined where Node has no zstd. */
export function nodeCompress(bytes: Uint8Array): Uint8Array | undefined {
  return zstdCompressSync?.(bytes, { pledgedSrcSize: bytes.byteLength });
}
