import { checkFormatArguments } from "../../arguments/check-arguments.ts";
import { bytes as bytesKind, mapOf, text } from "../../arguments/kinds.ts";
import { type StoredArray, storedArray } from "../arrays/stored-array.ts";
import { readWhole } from "../files/read-whole.ts";
import { writeFileWhole } from "../files/write-file.ts";
import { FormatError } from "../format-error.ts";
import { openZip } from "../zip/zip-archive.ts";
import { encodeZip } from "../zip/encode-zip.ts";
import { encodeNpy, npyOptions, parseNpy, type NpyOptions } from "./npy.ts";

/** Arrays by name, unpacked one at a time. */
export interface NpzFile {
  readonly names: readonly string[];
  /** Errors `format_missing`, and those of `parseNpy`. */
  read(name: string): StoredArray;
}

/** Reads what `np.savez` or `np.savez_compressed` wrote, at most 1 GiB. Throws FormatError. */
export async function readNpz(path: string, options: NpyOptions = {}): Promise<NpzFile> {
  checkFormatArguments("readNpz", { path: [path, text], options: [options, npyOptions] });
  return parseNpz(await readWhole(path), options, path);
}

/** The same of a file in memory. */
export function parseNpz(bytes: Uint8Array, options: NpyOptions = {}, file = "the .npz file"): NpzFile {
  checkFormatArguments("parseNpz", {
    bytes: [bytes, bytesKind],
    options: [options, npyOptions],
    file: [file, text],
  });
  const zip = openZip(bytes, file);
  const odd = zip.names.find((name) => !name.endsWith(".npy"));
  if (odd !== undefined) {
    throw new FormatError(
      "format_invalid",
      `${file} has the entry ${JSON.stringify(odd)}; expected only .npy`,
      { file },
    );
  }
  return {
    names: zip.names.map((name) => name.slice(0, -".npy".length)),
    read: (name) => parseNpy(zip.read(`${name}.npy`), options, `${file}: ${name}`),
  };
}

/** A .npz file, not compressed, as `np.savez` writes it. Throws FormatError. */
export function encodeNpz(arrays: ReadonlyMap<string, StoredArray>): Uint8Array {
  checkFormatArguments("encodeNpz", { arrays: [arrays, mapOf(storedArray)] });
  return encodeZip(new Map([...arrays].map(([name, array]) => [`${name}.npy`, encodeNpy(array)])));
}

/** Writes a .npz file whole or not at all. Throws FormatError. */
export async function writeNpz(path: string, arrays: ReadonlyMap<string, StoredArray>): Promise<void> {
  await writeFileWhole(path, [encodeNpz(arrays)]);
}
