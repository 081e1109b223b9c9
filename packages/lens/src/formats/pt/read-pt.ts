import { basename } from "node:path";
import { checkFormatArguments } from "../../arguments/check-arguments.ts";
import { bytes as bytesKind, text } from "../../arguments/kinds.ts";
import { storedBytes, type StoredDtype } from "../arrays/stored-array.ts";
import { ByteCursor } from "../files/byte-cursor.ts";
import { readWhole } from "../files/read-whole.ts";
import { FormatError } from "../format-error.ts";
import type { PickleValue } from "../pickle/pickle-value.ts";
import { unpickle } from "../pickle/unpickle.ts";
import { openZip, type ZipArchive } from "../zip/zip-archive.ts";
import { checkStorage, ptWorld } from "./pt-world.ts";

/** First value of a file of torch before 1.6. */
const legacyMagic = 0x1950a86a20f9469cfc6cn;

/**
 * Reads what `torch.save` wrote, into tensors (PtTensor), Maps, arrays, texts and numbers; both the zip form and that of
 * torch before 1.6. Nothing of the file is run: names other than those of tensors and OrderedDict are refused.
 * Throws FormatError.
 */
export async function readPt(path: string): Promise<PickleValue> {
  checkFormatArguments("readPt", { path: [path, text] });
  return parsePt(await readWhole(path), basename(path));
}

/** The same of a file in memory. */
export function parsePt(bytes: Uint8Array, file = "the .pt file"): PickleValue {
  checkFormatArguments("parsePt", { bytes: [bytes, bytesKind], file: [file, text] });
  if (bytes[0] === 0x50 && bytes[1] === 0x4b) return parseZip(openZip(bytes, file), file);
  if (bytes[0] === 0x80) return parseLegacy(new ByteCursor(bytes, file));
  throw new FormatError(
    "format_invalid",
    `${file} is not what torch.save writes: neither a zip archive nor a pickle (files of torch before 0.4 are not read)`,
    { file },
  );
}

function parseZip(zip: ZipArchive, file: string): PickleValue {
  const pickles = zip.names.filter((name) => /^[^/]+\/data\.pkl$/.test(name));
  const [pickle] = pickles;
  if (pickle === undefined || pickles.length > 1) {
    throw new FormatError(
      "format_invalid",
      `${file} has ${pickles.length} data.pkl; expected one (TorchScript files are not read)`,
      { file },
    );
  }
  const folder = pickle.slice(0, -"data.pkl".length);
  if (zip.names.includes(`${folder}byteorder`)) {
    const order = new ByteCursor(zip.read(`${folder}byteorder`), file);
    requireLittleEndian(order.text(order.left) === "little", file);
  }
  const world = ptWorld(file, (key, dtype, numbers) => {
    const name = `${folder}data/${key}`;
    checkStorage(zip.size(name), dtype, numbers, file);
    return () => zip.read(name);
  });
  const cursor = new ByteCursor(zip.read(pickle), file);
  const value = unpickle(cursor, world);
  requireEnd(cursor);
  return value;
}

/** Four pickles (a magic number, the version, the machine, the value), the keys of the storages, and their bytes. */
function parseLegacy(cursor: ByteCursor): PickleValue {
  const { file } = cursor;
  const found = new Map<string, Uint8Array>();
  const described = new Map<string, { dtype: StoredDtype; numbers: number }>();
  const world = ptWorld(file, (key, dtype, numbers) => {
    described.set(key, { dtype, numbers });
    return () => found.get(key)!;
  });
  if (unpickle(cursor, world) !== legacyMagic) {
    throw new FormatError("format_invalid", `${file} is a pickle, and not one that torch.save wrote`, {
      file,
    });
  }
  const version = unpickle(cursor, world);
  const machine = unpickle(cursor, world);
  if (version !== 1001 || !(machine instanceof Map)) {
    throw new FormatError(
      "format_unsupported",
      `${file} is of torch's format ${JSON.stringify(version)}; 1001 is read`,
      { file },
    );
  }
  requireLittleEndian(machine.get("little_endian") === true, file);
  const value = unpickle(cursor, world);
  const keys = unpickle(cursor, world);
  for (const key of Array.isArray(keys) ? (keys as PickleValue[]) : []) {
    const storage = typeof key === "string" ? described.get(key) : undefined;
    if (storage === undefined || found.has(key as string)) {
      throw new FormatError("format_invalid", `${file} has the bytes of a storage that no tensor uses`, {
        file,
      });
    }
    const size = cursor.uint64() * storedBytes[storage.dtype];
    checkStorage(size, storage.dtype, storage.numbers, file);
    found.set(key as string, cursor.bytes(size));
  }
  if (found.size !== described.size) {
    throw new FormatError(
      "format_truncated",
      `${file} lacks the bytes of ${described.size - found.size} storages`,
      { file },
    );
  }
  requireEnd(cursor);
  return value;
}

function requireLittleEndian(isLittle: boolean, file: string): void {
  if (isLittle) return;
  throw new FormatError("format_unsupported", `${file} was written by a big-endian machine`, { file });
}

function requireEnd(cursor: ByteCursor): void {
  if (cursor.left === 0) return;
  throw new FormatError("format_invalid", `${cursor.file} has ${cursor.left} bytes after its end`, {
    file: cursor.file,
  });
}
