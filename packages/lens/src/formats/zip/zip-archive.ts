import { crc32, inflateRawSync } from "node:zlib";
import { ByteCursor } from "../files/byte-cursor.ts";
import { FormatError } from "../format-error.ts";

interface ZipEntry {
  readonly name: string;
  readonly method: number;
  readonly crc: number;
  readonly packedSize: number;
  readonly size: number;
  readonly headerAt: number;
}

/** Entries of a zip archive by name; the bytes are unpacked when they are asked for. */
export interface ZipArchive {
  readonly names: readonly string[];
  /** The size that the directory states. Errors `format_missing`. */
  size(name: string): number;
  /** The entry's bytes, checked against its size and CRC-32. Errors `format_missing`, `format_invalid`. */
  read(name: string): Uint8Array;
}

/** Deflate at its best makes 1032 bytes of one: what announces more is no archive of numbers but a bomb. */
const highestRatio = 1032;

/**
 * Reads the directory of a zip archive that is in memory, entries stored or deflated. `most` bounds what all entries take
 * unpacked, by the directory, which every entry is held to. Throws FormatError; ZIP64 and encryption are not read.
 */
export function openZip(bytes: Uint8Array, file: string, most = 2 ** 31): ZipArchive {
  const end = endRecord(bytes, file);
  const entries = new Map<string, ZipEntry>();
  const cursor = new ByteCursor(bytes.subarray(end.directoryAt, end.directoryAt + end.directorySize), file);
  for (let i = 0; i < end.count; i++) {
    const entry = directoryEntry(cursor);
    if (entries.has(entry.name)) fail(file, `has the entry ${JSON.stringify(entry.name)} twice`);
    entries.set(entry.name, entry);
  }
  const total = [...entries.values()].reduce((sum, { size }) => sum + size, 0);
  if (total > most) {
    throw new FormatError(
      "format_too_large",
      `${file} announces ${total} bytes unpacked; at most ${most} are read`,
      { file },
    );
  }
  const entryOf = (name: string): ZipEntry => {
    const entry = entries.get(name);
    if (entry !== undefined) return entry;
    throw new FormatError("format_missing", `${file} has no entry ${JSON.stringify(name)}`, { file });
  };
  return {
    names: [...entries.keys()],
    size: (name) => entryOf(name).size,
    read: (name) => unpack(bytes, entryOf(name), file),
  };
}

/** The end record: the last 22 bytes, before a comment of at most 65 535. */
function endRecord(bytes: Uint8Array, file: string) {
  const lowest = Math.max(0, bytes.length - 22 - 65_535);
  for (let at = bytes.length - 22; at >= lowest; at--) {
    if (bytes[at] !== 0x50 || bytes[at + 1] !== 0x4b || bytes[at + 2] !== 5 || bytes[at + 3] !== 6) continue;
    const cursor = new ByteCursor(bytes.subarray(at + 4), file);
    const disks = [cursor.uint16(), cursor.uint16()];
    const [, count] = [cursor.uint16(), cursor.uint16()];
    const [directorySize, directoryAt] = [cursor.uint32(), cursor.uint32()];
    if (cursor.uint16() !== cursor.left) continue;
    if (disks.some((disk) => disk !== 0) || count === 0xffff || directoryAt === 0xffff_ffff) {
      throw new FormatError(
        "format_unsupported",
        `${file} is a zip archive in parts or of over 4 GiB (ZIP64)`,
        {
          file,
        },
      );
    }
    if (directoryAt + directorySize > at) fail(file, "has a zip directory that goes past its end");
    return { count, directorySize, directoryAt };
  }
  throw new FormatError(
    "format_truncated",
    `${file} is no zip archive, or lost its end (the directory lies there)`,
    { file },
  );
}

function directoryEntry(cursor: ByteCursor): ZipEntry {
  const { file } = cursor;
  if (cursor.uint32() !== 0x0201_4b50) fail(file, "has a zip directory that is damaged");
  cursor.bytes(4);
  const flags = cursor.uint16();
  const method = cursor.uint16();
  cursor.bytes(4);
  const [crc, packedSize, size] = [cursor.uint32(), cursor.uint32(), cursor.uint32()];
  const [nameLength, extraLength, commentLength] = [cursor.uint16(), cursor.uint16(), cursor.uint16()];
  cursor.bytes(8);
  const headerAt = cursor.uint32();
  const name = cursor.text(nameLength);
  cursor.bytes(extraLength + commentLength);
  const called = `the entry ${JSON.stringify(name)}`;
  if (
    (flags & 1) !== 0 ||
    (method !== 0 && method !== 8) ||
    size === 0xffff_ffff ||
    headerAt === 0xffff_ffff
  ) {
    throw new FormatError(
      "format_unsupported",
      `${file}: ${called} is encrypted, ZIP64 or packed by method ${method}; stored and deflated are read`,
      { file },
    );
  }
  if (method === 0 ? size !== packedSize : size > packedSize * highestRatio) {
    fail(file, `announces ${size} bytes of ${called}, which takes ${packedSize} in the archive`);
  }
  return { name, method, crc, packedSize, size, headerAt };
}

function unpack(bytes: Uint8Array, entry: ZipEntry, file: string): Uint8Array {
  const called = `the entry ${JSON.stringify(entry.name)}`;
  const cursor = new ByteCursor(bytes.subarray(entry.headerAt), file);
  if (cursor.left < 30 || cursor.uint32() !== 0x0403_4b50) fail(file, `has no header for ${called}`);
  cursor.bytes(22);
  const [nameLength, extraLength] = [cursor.uint16(), cursor.uint16()];
  // The header may lie about its sizes: those of the directory hold.
  if (cursor.text(nameLength) !== entry.name) fail(file, `has another header where ${called} is due`);
  cursor.bytes(extraLength);
  const packed = cursor.bytes(entry.packedSize);
  const unpacked = entry.method === 0 ? packed : inflate(packed, entry.size, called, file);
  if (unpacked.length !== entry.size || crc32(unpacked) !== entry.crc) {
    fail(file, `has other bytes in ${called} than its size and CRC-32 say`);
  }
  return unpacked;
}

function inflate(packed: Uint8Array, size: number, called: string, file: string): Uint8Array {
  try {
    // zlib refuses a limit of 0.
    const { buffer, byteOffset, byteLength } = inflateRawSync(packed, { maxOutputLength: Math.max(1, size) });
    return new Uint8Array(buffer, byteOffset, byteLength);
  } catch (cause) {
    throw new FormatError(
      "format_invalid",
      `${file}: ${called} does not unpack to the ${size} bytes that the directory states`,
      { file },
      { cause },
    );
  }
}

function fail(file: string, problem: string): never {
  throw new FormatError("format_invalid", `${file} ${problem}`, { file });
}
