/** Writes GGUF files for tests, right ones and hostile ones. */

const number = (length: number, write: (view: DataView) => void): number[] => {
  const bytes = new Uint8Array(length);
  write(new DataView(bytes.buffer));
  return [...bytes];
};

export const u32 = (value: number) => number(4, (view) => view.setUint32(0, value, true));
export const u64 = (value: number | bigint) => number(8, (view) => view.setBigUint64(0, BigInt(value), true));
export const f32 = (value: number) => number(4, (view) => view.setFloat32(0, value, true));
export const f64 = (value: number) => number(8, (view) => view.setFloat64(0, value, true));
export const bytesOf = (value: string) => [...new TextEncoder().encode(value)];
export const text = (value: string) => [...u64(bytesOf(value).length), ...bytesOf(value)];

/** A key with its value of a type, as stored. */
export const entry = (key: string, type: number, value: readonly number[]) => [
  ...text(key),
  ...u32(type),
  ...value,
];

/** A tensor of ggml's dimensions, the first running fastest, at an offset in the data. */
export const tensor = (name: string, dimensions: readonly number[], type: number, offset: number) => [
  ...text(name),
  ...u32(dimensions.length),
  ...dimensions.flatMap(u64),
  ...u32(type),
  ...u64(offset),
];

interface GgufParts {
  version?: number;
  entries?: readonly (readonly number[])[];
  tensors?: readonly (readonly number[])[];
  tensorCount?: number | bigint;
  keyCount?: number | bigint;
  alignment?: number;
  /** Bytes of data, all zero. */
  data?: number;
}

/** A whole file; counts other than those of the parts can be announced. */
export function gguf(parts: GgufParts): Uint8Array {
  const { version = 3, entries = [], tensors = [], alignment = 32, data = 0 } = parts;
  const header = [
    ...bytesOf("GGUF"),
    ...u32(version),
    ...u64(parts.tensorCount ?? tensors.length),
    ...u64(parts.keyCount ?? entries.length),
    ...entries.flat(),
    ...tensors.flat(),
  ];
  const bytes = new Uint8Array(Math.ceil(header.length / alignment) * alignment + data);
  bytes.set(header);
  return bytes;
}
