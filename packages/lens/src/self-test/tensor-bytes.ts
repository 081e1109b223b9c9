import { Buffer } from "node:buffer";

export const base64Of = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");

/**
 * A zstd frame that stores bytes as they are: what every decoder reads, and no encoder is needed for. It states the size, which
 * vllm-lens requires. Source: RFC 8878, sections 3.1.1.1 and 3.1.1.2 (raw blocks of at most 128 KiB).
 */
export function storedZstd(bytes: Uint8Array): Uint8Array {
  const largestBlock = 2 ** 17;
  const blocks = Math.max(1, Math.ceil(bytes.byteLength / largestBlock));
  const frame = new Uint8Array(9 + 3 * blocks + bytes.byteLength);
  const view = new DataView(frame.buffer);
  view.setUint32(0, 0xfd2fb528, true);
  // A single segment whose size has four bytes.
  view.setUint8(4, 0xa0);
  view.setUint32(5, bytes.byteLength, true);
  let at = 9;
  for (let i = 0; i < blocks; i++) {
    const block = bytes.subarray(i * largestBlock, (i + 1) * largestBlock);
    const header = (block.byteLength << 3) | (i === blocks - 1 ? 1 : 0);
    frame.set([header & 0xff, (header >> 8) & 0xff, header >> 16], at);
    frame.set(block, at + 3);
    at += 3 + block.byteLength;
  }
  return frame;
}
