import { crc32 } from "node:zlib";
import { concatBytes } from "../files/concat-bytes.ts";
import { FormatError } from "../format-error.ts";

/** A zip archive of stored entries, names in UTF-8, all of one date. Error `format_too_large` from 4 GiB on. */
export function encodeZip(entries: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const parts: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let at = 0;
  for (const [name, bytes] of entries) {
    const nameBytes = new TextEncoder().encode(name);
    // version 2.0, UTF-8 name, stored, 1980-01-01; CRC, sizes, lengths of name and extra field
    const common = concatBytes([
      uint16(20, 0x0800, 0, 0, 0x21),
      uint32(crc32(bytes), bytes.length, bytes.length),
      uint16(nameBytes.length, 0),
    ]);
    parts.push(uint32(0x0403_4b50), common, nameBytes, bytes);
    directory.push(uint32(0x0201_4b50), uint16(20), common, uint16(0, 0, 0), uint32(0, at), nameBytes);
    at += 30 + nameBytes.length + bytes.length;
  }
  const directorySize = directory.reduce((sum, part) => sum + part.length, 0);
  if (at + directorySize >= 0xffff_ffff || entries.size >= 0xffff) {
    throw new FormatError(
      "format_too_large",
      `${entries.size} entries of ${at} bytes; a zip archive takes 4 GiB`,
    );
  }
  const end = [
    uint32(0x0605_4b50),
    uint16(0, 0, entries.size, entries.size),
    uint32(directorySize, at),
    uint16(0),
  ];
  return concatBytes([...parts, ...directory, ...end]);
}

function uint16(...values: number[]): Uint8Array {
  return new Uint8Array(Uint16Array.from(values).buffer);
}

function uint32(...values: number[]): Uint8Array {
  return new Uint8Array(Uint32Array.from(values).buffer);
}
