import { type FrameDecoder, frameDecoders } from "./frame-decoder.ts";
import { TensorError } from "./tensor-error.ts";
import { type ZstdFrame, zstdFrames } from "./zstd-frames.ts";

/** Every decoder must take windows up to this (RFC 8878, 3.1.1.1.2); a larger one serves only data that is larger. */
const usualWindow = 2 ** 23;

/**
 * Exactly `expected` decompressed bytes, or an error. At most 2 × `expected` bytes are allocated, whatever a frame declares or
 * expands to. `decoders`: the first that takes a frame has it.
 */
export async function decompressZstd(
  bytes: Uint8Array,
  expected: number,
  decoders: readonly FrameDecoder[] = frameDecoders(),
): Promise<Uint8Array> {
  const frames = zstdFrames(bytes);
  const declared = frames.reduce((sum, { contentSize = 0 }) => sum + contentSize, 0);
  const says = frames.every(({ contentSize }) => contentSize !== undefined);
  if (says ? declared !== expected : declared > expected) throw wrongSize(`declares ${declared}`, expected);
  const [first] = frames;
  if (frames.length === 1 && first !== undefined) {
    const only = await decodeFrame(decoders, bytes, first, expected);
    if (only.byteLength !== expected) throw wrongSize(`holds ${only.byteLength}`, expected);
    return only;
  }
  const whole = new Uint8Array(expected);
  let total = 0;
  for (const frame of frames) {
    const part = await decodeFrame(decoders, bytes, frame, expected - total);
    whole.set(part, total);
    total += part.byteLength;
  }
  if (total !== expected) throw wrongSize(`holds ${total}`, expected);
  return whole;
}

async function decodeFrame(
  decoders: readonly FrameDecoder[],
  bytes: Uint8Array,
  frame: ZstdFrame,
  limit: number,
): Promise<Uint8Array> {
  const { start, end, contentSize, window } = frame;
  // The decoder allocates what the header declares.
  if (contentSize !== undefined && contentSize > limit) throw wrongSize(`declares ${contentSize}`, limit);
  if (window > Math.max(limit, usualWindow)) {
    throw new TensorError(
      "tensor_frame",
      `the zstd frame asks for a window of ${window} bytes, and its data has ${limit}`,
      { window, limit },
    );
  }
  const decoder = decoders.find((candidate) => candidate.takes(frame, limit));
  let decoded: Uint8Array | undefined;
  try {
    decoded = await decoder?.decode(bytes.subarray(start, end), frame, limit);
  } catch (error) {
    if (error instanceof TensorError) throw error;
    const message = error instanceof Error ? error.message : String(error);
    // zstd's own code 70 is "destination too small". A frame that expands to more than it says is corrupt.
    if (contentSize === undefined && /code -70\b|larger than/.test(message))
      throw wrongSize(`expands to more than ${limit}`, limit);
    throw new TensorError("tensor_frame", `the zstd frame is corrupt: ${message}`);
  }
  if (decoded === undefined) throw new TensorError("tensor_frame", "nothing here can read this zstd frame");
  if (decoded.byteLength > limit) throw wrongSize(`expands to ${decoded.byteLength}`, limit);
  return decoded;
}

function wrongSize(what: string, expected: number): TensorError {
  return new TensorError(
    "tensor_size",
    `the zstd data ${what} bytes, and its shape and dtype need ${expected}`,
    { expected },
  );
}
