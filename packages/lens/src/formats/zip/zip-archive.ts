import { crc32, inflateRawSync } from "node:zlib";
import { checkFormatArguments } from "../../arguments/check-arguments.ts";
import { bytes as bytesKind, text, whole } from "../../arguments/kinds.ts";
import { decompressZstd } from "../../codec/decompress-zstd.ts";
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
  /** The bytes of a stored or deflated entry, checked against its size and CRC-32. Errors `format_missing`, `format_invalid`. */
  read(name: string): Uint8Array;
  /** The same of any entry, zstd ones too. */
  load(name: string): Promise<Uint8Array>;
}

const zstd = 93;
/** Deflate at its best makes 1032 bytes of one: what announces more is no archive of numbers but a bomb. */
const highestRatio = 1032;

/**
 * Reads the directory of a zip archive that is in memory, entries stored, deflated or zstd. `most` bounds what all entries take
 * unpacked, by the directory, which every entry is held to. Throws FormatError; ZIP64 and encryption are not read.
 */
export function openZip(bytes: Uint8Array, file: string, most = 2 ** 31): ZipArchive {
  checkFormatArguments("openZip", {
    bytes: [bytes, bytesKind],
    file: [file, text],
    most: [most, whole(0)],
  });
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
    load: (name) => unpackAny(bytes, entryOf(name), file),
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
    ![0, 8, zstd].includes(method) ||
    size === 0xffff_ffff ||
    headerAt === 0xffff_ffff
  ) {
    throw new FormatError(
      "format_unsupported",
      `${file}: ${called} is encrypted, ZIP64 or packed by method ${method}; stored, deflated and zstd ones are read`,
      { file },
    );
  }
  const possible = { 0: packedSize, 8: packedSize * highestRatio, [zstd]: Infinity }[method] ?? 0;
  if (size > possible || (method === 0 && size !== packedSize)) {
    fail(file, `announces ${size} bytes of ${called}, which takes ${packedSize} in the archive`);
  }
  return { name, method, crc, packedSize, size, headerAt };
}

function unpack(bytes: Uint8Array, entry: ZipEntry, file: string): Uint8Array {
  const packed = packedBytes(bytes, entry, file);
  if (entry.method === zstd) {
    throw new FormatError(
      "format_unsupported",
      `${file}: ${calledBy(entry)} is packed by zstd, which is not read here`,
      { file },
    );
  }
  return checked(entry.method === 0 ? packed : inflate(packed, entry, file), entry, file);
}

async function unpackAny(bytes: Uint8Array, entry: ZipEntry, file: string): Promise<Uint8Array> {
  if (entry.method !== zstd) return unpack(bytes, entry, file);
  const unpacked = await decompressZstd(packedBytes(bytes, entry, file), entry.size).catch((cause: unknown) =>
    notUnpacking(entry, file, cause),
  );
  return checked(unpacked, entry, file);
}

function calledBy({ name }: ZipEntry): string {
  return `the entry ${JSON.stringify(name)}`;
}

function packedBytes(bytes: Uint8Array, entry: ZipEntry, file: string): Uint8Array {
  const cursor = new ByteCursor(bytes.subarray(entry.headerAt), file);
  if (cursor.left < 30 || cursor.uint32() !== 0x0403_4b50) fail(file, `has no header for ${calledBy(entry)}`);
  cursor.bytes(22);
  const [nameLength, extraLength] = [cursor.uint16(), cursor.uint16()];
  // The header may lie about its sizes: those of the directory hold.
  if (cursor.text(nameLength) !== entry.name)
    fail(file, `has another header where ${calledBy(entry)} is due`);
  cursor.bytes(extraLength);
  return cursor.bytes(entry.packedSize);
}

function checked(unpacked: Uint8Array, entry: ZipEntry, file: string): Uint8Array {
  if (unpacked.length === entry.size && crc32(unpacked) === entry.crc) return unpacked;
  return fail(file, `has other bytes in ${calledBy(entry)} than its size and CRC-32 say`);
}

function inflate(packed: Uint8Array, entry: ZipEntry, file: string): Uint8Array {
  try {
    // zlib refuses a limit of 0.
    const most = Math.max(1, entry.size);
    const { buffer, byteOffset, byteLength } = inflateRawSync(packed, { maxOutputLength: most });
    return new Uint8Array(buffer, byteOffset, byteLength);
  } catch (cause) {
    return notUnpacking(entry, file, cause);
  }
}

function notUnpacking(entry: ZipEntry, file: string, cause: unknown): never {
  throw new FormatError(
    "format_invalid",
    `${file}: ${calledBy(entry)} does not unpack to the ${entry.size} bytes that the directory states`,
    { file },
    { cause },
  );
}

function fail(file: string, problem: string): never {
  throw new FormatError("format_invalid", `${file} ${problem}`, { file });
}
