import { checkFormatArguments } from "../../arguments/check-arguments.ts";
import { bytes as bytesKind, text } from "../../arguments/kinds.ts";
import { rowRange } from "../arrays/row-range.ts";
import type { StoredArray } from "../arrays/stored-array.ts";
import { openFile, type RangeFile } from "../files/open-file.ts";
import { FormatError } from "../format-error.ts";
import {
  parseSafetensorsHeader,
  safetensorsHeaderBytes,
  type SafetensorsEntry,
  type SafetensorsHeader,
} from "./safetensors-header.ts";

/** An open safetensors file: its tensors are read one by one, or by rows, and only what is asked for. */
export interface SafetensorsFile extends SafetensorsHeader {
  /** A tensor of `entries`. Error `format_missing`. */
  read(name: string): Promise<StoredArray>;
  /** Rows `first` to `first + count − 1` along the first axis, or along the first `axes` axes taken as one. */
  readRows(name: string, first: number, count: number, axes?: number): Promise<StoredArray>;
  close(): Promise<void>;
}

/** Opens a safetensors file and checks its header. Throws FormatError. */
export async function openSafetensors(path: string): Promise<SafetensorsFile> {
  const file = await openFile(path);
  try {
    const length = safetensorsHeaderBytes(await file.read(0, Math.min(8, file.size)), file.size, file.name);
    const dataStart = 8 + length;
    const header = parseSafetensorsHeader(await file.read(8, length), file.size - dataStart, file.name);
    return Object.freeze({ ...header, ...readers(header, file, dataStart), close: () => file.close() });
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Reads every tensor of a safetensors file that is in memory; the arrays are views of `bytes`. Throws FormatError. */
export function parseSafetensors(
  bytes: Uint8Array,
  file = "the safetensors file",
): { tensors: Map<string, StoredArray>; metadata: Readonly<Record<string, string>> } {
  checkFormatArguments("parseSafetensors", { bytes: [bytes, bytesKind], file: [file, text] });
  const length = safetensorsHeaderBytes(bytes, bytes.length, file);
  const data = bytes.subarray(8 + length);
  const { entries, metadata } = parseSafetensorsHeader(bytes.subarray(8, 8 + length), data.length, file);
  const tensors = new Map<string, StoredArray>();
  for (const [name, { dtype, shape, begin, end }] of entries) {
    tensors.set(name, { dtype, shape, bytes: data.subarray(begin, end) });
  }
  return { tensors, metadata };
}

function readers({ entries }: SafetensorsHeader, file: RangeFile, dataStart: number) {
  const entryOf = (name: string): SafetensorsEntry => {
    const entry = entries.get(name);
    if (entry !== undefined) return entry;
    const some = [...entries.keys()].slice(0, 8).map((known) => JSON.stringify(known));
    throw new FormatError(
      "format_missing",
      `${file.name} has no tensor ${JSON.stringify(name)}; it has ${some.join(", ")}${entries.size > 8 ? ` and ${entries.size - 8} more` : ""}`,
      { file: file.name, name },
    );
  };
  return {
    async read(name: string): Promise<StoredArray> {
      const { dtype, shape, begin, end } = entryOf(name);
      return { dtype, shape, bytes: await file.read(dataStart + begin, end - begin) };
    },
    async readRows(name: string, first: number, count: number, axes = 1): Promise<StoredArray> {
      const { dtype, shape, begin } = entryOf(name);
      const called = `${file.name}: ${JSON.stringify(name)}`;
      const range = rowRange({ dtype, shape }, { first, count, axes }, called);
      const bytes = await file.read(dataStart + begin + range.begin, range.length);
      return { dtype, shape: [count, ...range.rest], bytes };
    },
  };
}
