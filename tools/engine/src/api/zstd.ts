import { compress, decompress, init } from "@bokuweb/zstd-wasm";
import { invalidRequest } from "./api-error.ts";

let ready: Promise<void> | null = null;

/** Loads the WebAssembly codec from its package, once. */
export function initZstd(): Promise<void> {
  return (ready ??= init());
}

/** One zstd frame, level 1, its header with the content size; `initZstd` must have resolved. */
export function compressZstd(bytes: Uint8Array): Uint8Array {
  return compress(bytes, 1);
}

/**
 * Decompresses a frame that must say it holds `expected` bytes: the size is read from the header before
 * memory is taken. Throws ApiError 400 otherwise, naming `field`.
 */
export function decompressZstd(frame: Uint8Array, expected: number, field: string): Uint8Array {
  const declared = zstdContentSize(frame);
  if (declared !== expected) {
    const found = declared === null ? "is no zstd frame with a content size" : `holds ${declared} bytes`;
    throw invalidRequest(`${field}: the data ${found}; the shape takes ${expected} bytes`);
  }
  let bytes: Uint8Array | null = null;
  try {
    bytes = decompress(frame);
  } catch {
    // The codec's own text is about its memory; what the sender needs is below.
  }
  if (bytes?.length !== expected) throw invalidRequest(`${field}: the data is a damaged zstd frame`);
  return bytes;
}

/** The content size in a zstd frame's header, null when there is none. Source: RFC 8878, section 3.1.1. */
export function zstdContentSize(frame: Uint8Array): number | null {
  if (frame.length < 6) return null;
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  if (view.getUint32(0, true) !== 0xfd2fb528) return null;
  const descriptor = frame[4]!;
  const single = (descriptor & 0x20) !== 0;
  const sizeFlag = descriptor >> 6;
  const at = 5 + (single ? 0 : 1) + [0, 1, 2, 4][descriptor & 3]!;
  const length = sizeFlag === 0 ? (single ? 1 : 0) : 2 ** sizeFlag;
  if (length === 0 || frame.length < at + length) return null;
  if (length === 1) return view.getUint8(at);
  if (length === 2) return view.getUint16(at, true) + 256;
  return length === 4 ? view.getUint32(at, true) : Number(view.getBigUint64(at, true));
}
