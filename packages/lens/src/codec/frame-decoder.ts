import { createRequire } from "node:module";
import { dirname } from "node:path";
import * as zlib from "node:zlib";
import type * as ZstdWasm from "@bokuweb/zstd-wasm";

/** Decompresses one zstd frame into at most `limit` bytes. */
export type FrameDecoder = (frame: Uint8Array, limit: number) => Uint8Array;

let chosen: Promise<FrameDecoder> | undefined;

/** Node's own zstd where it has one (22.15 and later, Deno), else WebAssembly. */
export function frameDecoder(): Promise<FrameDecoder> {
  return (chosen ??= chooseDecoder());
}

async function chooseDecoder(): Promise<FrameDecoder> {
  const { zstdDecompressSync } = zlib as {
    zstdDecompressSync?: (frame: Uint8Array, options: { maxOutputLength: number }) => Uint8Array;
  };
  if (zstdDecompressSync) {
    return (frame, limit) => zstdDecompressSync(frame, { maxOutputLength: Math.max(1, limit) });
  }
  const { init, decompress } = ownCopy();
  await init();
  return (frame, limit) => decompress(frame, { defaultHeapSize: limit });
}

/**
 * A copy of the module that nobody else in the process has. Its `init` puts new memory under functions that hold on to
 * the old one, so whoever calls it second breaks decompression for both.
 */
function ownCopy(): typeof ZstdWasm {
  const require = createRequire(import.meta.url);
  const entry = require.resolve("@bokuweb/zstd-wasm");
  const ofModule = () => Object.entries(require.cache).filter(([path]) => path.startsWith(dirname(entry)));
  const shared = ofModule();
  for (const [path] of shared) delete require.cache[path];
  try {
    return require(entry) as typeof ZstdWasm;
  } finally {
    for (const [path] of ofModule()) delete require.cache[path];
    for (const [path, module] of shared) require.cache[path] = module;
  }
}
