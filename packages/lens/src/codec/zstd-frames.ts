import { TensorError } from "./tensor-error.ts";

/** One zstd frame inside a buffer. */
export interface ZstdFrame {
  start: number;
  end: number;
  /** Decompressed bytes as the header declares them; undefined when it does not. */
  contentSize: number | undefined;
  /** The most bytes that its blocks can become, whatever the header declares. */
  most: number;
  /** Bytes back that its matches may reach. */
  window: number;
}

/** A tensor is one frame; more than these hold nothing but their headers. */
const mostFrames = 2 ** 16;

/** No block becomes more than this. */
const largestBlock = 2 ** 17;

const frameMagic = 0xfd2f_b528;

/**
 * The frames of a buffer (RFC 8878), found by their headers alone, so that sizes are known before anything is
 * decompressed. Skippable frames are left out. Throws `tensor_truncated` when the buffer ends inside a frame and
 * `tensor_frame` when it holds something else.
 */
export function zstdFrames(bytes: Uint8Array): ZstdFrame[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const need = (end: number): number => {
    if (end <= bytes.byteLength) return end;
    throw new TensorError(
      "tensor_truncated",
      `the zstd frame is cut off: ${bytes.byteLength} bytes came, at least ${end} are needed`,
    );
  };
  const frames: ZstdFrame[] = [];
  for (let start = 0; start < bytes.byteLength;) {
    need(start + 4);
    const magic = view.getUint32(start, true);
    if (magic >= 0x184d_2a50 && magic <= 0x184d_2a5f) {
      need(start + 8);
      start = need(start + 8 + view.getUint32(start + 4, true));
      continue;
    }
    if (magic !== frameMagic)
      throw new TensorError("tensor_frame", `no zstd frame at byte ${start} of ${bytes.byteLength}`);
    need(start + 5);
    const descriptor = view.getUint8(start + 4);
    const single = (descriptor & 0x20) !== 0;
    if ((descriptor & 0x08) !== 0)
      throw new TensorError("tensor_frame", "the zstd frame header has its reserved bit set");
    const sizeBytes = [single ? 1 : 0, 2, 4, 8][descriptor >> 6] ?? 0;
    const sizeAt = start + 5 + (single ? 0 : 1) + ([0, 1, 2, 4][descriptor & 3] ?? 0);
    need(sizeAt + sizeBytes);
    const contentSize = readSize(view, sizeAt, sizeBytes);
    const window = single ? (contentSize ?? 0) : windowSize(view.getUint8(start + 5));
    let most = 0;
    let at = sizeAt + sizeBytes;
    for (let last = false; !last;) {
      need(at + 3);
      const header = view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
      last = (header & 1) === 1;
      const type = (header >> 1) & 3;
      if (type === 3) throw new TensorError("tensor_frame", `a zstd block of reserved type at byte ${at}`);
      most += type === 2 ? Math.min(window, largestBlock) : header >> 3;
      at = need(at + 3 + (type === 1 ? 1 : header >> 3));
    }
    const end = need(at + ((descriptor & 0x04) !== 0 ? 4 : 0));
    if (frames.length === mostFrames)
      throw new TensorError("tensor_frame", `more than ${mostFrames} zstd frames`);
    frames.push({ start, end, contentSize, most, window });
    start = end;
  }
  return frames;
}

/** RFC 8878, 3.1.1.1.2. */
function windowSize(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >> 3));
  return base + (base / 8) * (descriptor & 7);
}

function readSize(view: DataView, at: number, bytes: number): number | undefined {
  if (bytes === 0) return undefined;
  if (bytes === 1) return view.getUint8(at);
  if (bytes === 2) return view.getUint16(at, true) + 256;
  if (bytes === 4) return view.getUint32(at, true);
  return Number(view.getBigUint64(at, true));
}
