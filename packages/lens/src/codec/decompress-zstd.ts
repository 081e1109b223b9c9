import { type FrameDecoder, frameDecoder } from "./frame-decoder.ts";
import { TensorError } from "./tensor-error.ts";
import { type ZstdFrame, zstdFrames } from "./zstd-frames.ts";

/**
 * Exactly `expected` decompressed bytes, or an error. No more than `expected` bytes are ever allocated for a frame, whatever
 * it declares or expands to.
 */
export async function decompressZstd(bytes: Uint8Array, expected: number): Promise<Uint8Array> {
  const frames = zstdFrames(bytes);
  const decode = await frameDecoder();
  const parts: Uint8Array[] = [];
  let total = 0;
  for (const frame of frames) {
    const part = decodeFrame(decode, bytes, frame, expected - total);
    total += part.byteLength;
    parts.push(part);
  }
  if (total !== expected) throw wrongSize(`holds ${total}`, expected);
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : joined(parts, total);
}

function decodeFrame(
  decode: FrameDecoder,
  bytes: Uint8Array,
  { start, end, contentSize }: ZstdFrame,
  limit: number,
): Uint8Array {
  // The decoder allocates what the header declares, so no header may declare more than is left.
  if (contentSize !== undefined && contentSize > limit) throw wrongSize(`declares ${contentSize}`, limit);
  try {
    return decode(bytes.subarray(start, end), limit);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    // zstd's own code 70 is "destination too small": the frame expands to more than it may.
    if (/code -70\b|larger than/.test(message)) throw wrongSize(`expands to more than ${limit}`, limit);
    throw new TensorError("tensor_frame", `the zstd frame is corrupt: ${message}`);
  }
}

function wrongSize(what: string, expected: number): TensorError {
  return new TensorError(
    "tensor_size",
    `the zstd data ${what} bytes, and its shape and dtype need ${expected}`,
    { expected },
  );
}

function joined(parts: readonly Uint8Array[], total: number): Uint8Array {
  const whole = new Uint8Array(total);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.byteLength;
  }
  return whole;
}
