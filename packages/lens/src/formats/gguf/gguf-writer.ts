import { concatBytes } from "../files/concat-bytes.ts";

/** Tensors begin at multiples of this many bytes from the start of the data, and the data at one of the file. */
const ggufAlignment = 32;

/** Values that are written: a text, or a whole number as uint32. */
export type GgufWritable = string | number;

/** A GGUF file (version 3, little-endian) of float32 vectors. Source: docs/gguf.md of the ggml project. */
export function encodeGguf(
  metadata: Readonly<Record<string, GgufWritable>>,
  vectors: ReadonlyMap<string, Float32Array>,
): Uint8Array {
  const entries = Object.entries(metadata);
  const parts = [uint32(0x46554747), uint32(3), uint64(vectors.size), uint64(entries.length)];
  for (const [key, value] of entries) {
    parts.push(text(key));
    parts.push(...(typeof value === "string" ? [uint32(8), text(value)] : [uint32(4), uint32(value)]));
  }
  let offset = 0;
  for (const [name, { length, byteLength }] of vectors) {
    parts.push(text(name), uint32(1), uint64(length), uint32(0), uint64(offset));
    offset += padded(byteLength);
  }
  const header = concatBytes(parts);
  const data = [...vectors.values()].map((values) => pad(floatBytes(values)));
  return concatBytes([pad(header), ...data]);
}

function padded(length: number): number {
  return Math.ceil(length / ggufAlignment) * ggufAlignment;
}

function pad(bytes: Uint8Array): Uint8Array {
  const whole = new Uint8Array(padded(bytes.length));
  whole.set(bytes);
  return whole;
}

function floatBytes({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

function text(value: string): Uint8Array {
  const bytes = new TextEncoder().encode(value);
  return concatBytes([uint64(bytes.length), bytes]);
}

function uint32(value: number): Uint8Array {
  return new Uint8Array(Uint32Array.of(value).buffer);
}

function uint64(value: number): Uint8Array {
  return new Uint8Array(BigUint64Array.of(BigInt(value)).buffer);
}
