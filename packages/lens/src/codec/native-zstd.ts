import { Buffer } from "node:buffer";
import { createRequire } from "node:module";
import type { FrameDecoder } from "./frame-decoder.ts";

/**
 * The optional module `@mongodb-js/zstd`, where the user has installed it; undefined where it is absent or does not load.
 * It has no limit of its own, so it gets only frames that say their size and whose blocks cannot become much more.
 */
export function nativeDecoder(): FrameDecoder | undefined {
  const decompress = loadModule();
  if (decompress === undefined) return undefined;
  return {
    name: "native",
    takes: ({ contentSize, most }, limit) => contentSize !== undefined && most <= 2 * limit,
    decode: (bytes) => decompress(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)),
  };
}

function loadModule(): ((frame: Buffer) => Promise<Buffer>) | undefined {
  try {
    const loaded: unknown = createRequire(import.meta.url)("@mongodb-js/zstd");
    const { decompress } = loaded as { decompress?: unknown };
    return typeof decompress === "function" ? (decompress as (frame: Buffer) => Promise<Buffer>) : undefined;
  } catch {
    return undefined;
  }
}
