import * as z from "zod";
import { storedSize, type StoredDtype } from "../arrays/stored-array.ts";
import { FormatError } from "../format-error.ts";
import { hasDuplicateKeys } from "./duplicate-keys.ts";
import { safetensorsDtypes } from "./safetensors-dtypes.ts";

/** Header bytes that a file may announce: the limit of the reference reader. */
const maxHeaderBytes = 100_000_000;

/** Where a tensor lies: `begin` and `end` count bytes from the start of the data. */
export interface SafetensorsEntry {
  readonly dtype: StoredDtype;
  readonly shape: readonly number[];
  readonly begin: number;
  readonly end: number;
}

export interface SafetensorsHeader {
  readonly entries: ReadonlyMap<string, SafetensorsEntry>;
  readonly metadata: Readonly<Record<string, string>>;
}

const size = z.int().nonnegative();
const entrySchema = z.strictObject({
  dtype: z.string(),
  shape: z.array(size).max(16),
  data_offsets: z.tuple([size, size]),
});
const metadataSchema = z.record(z.string(), z.string());

/**
 * Bytes of the header that the first 8 bytes announce, checked against the file. Errors `format_truncated`,
 * `format_too_large`.
 */
export function safetensorsHeaderBytes(first: Uint8Array, fileBytes: number, file: string): number {
  if (first.length < 8) fail("format_truncated", file, `has ${fileBytes} bytes, no header`);
  const length = new DataView(first.buffer, first.byteOffset, 8).getBigUint64(0, true);
  if (length > BigInt(maxHeaderBytes)) {
    fail(
      "format_too_large",
      file,
      `announces a header of ${length} bytes; at most ${maxHeaderBytes} are read (is it a safetensors file?)`,
    );
  }
  if (Number(length) + 8 > fileBytes) {
    fail(
      "format_truncated",
      file,
      `announces a header of ${length} bytes, and has ${fileBytes} bytes in all`,
    );
  }
  return Number(length);
}

/**
 * Reads the JSON header and checks it against the bytes of data that follow: every type known, every size its shape's, all
 * in the data, none overlapping and no gap, no key twice. Padding by spaces, by NUL bytes or none is read.
 * Source: the format description in the safetensors README.
 */
export function parseSafetensorsHeader(
  header: Uint8Array,
  dataBytes: number,
  file: string,
): SafetensorsHeader {
  const json = parseJson(header, file);
  const entries = new Map<string, SafetensorsEntry>();
  let metadata: Record<string, string> = {};
  for (const [name, value] of Object.entries(json)) {
    if (name === "__metadata__") {
      if (!metadataSchema.safeParse(value).success)
        fail("format_invalid", file, "has metadata that is not texts by name");
      // As it was read: what zod gives lacks a key called __proto__.
      metadata = value as Record<string, string>;
    } else {
      entries.set(name, readEntry(value, `tensor ${JSON.stringify(name)}`, file));
    }
  }
  checkPlaces(entries, dataBytes, file);
  return { entries, metadata };
}

function parseJson(header: Uint8Array, file: string): object {
  let end = header.length;
  while (end > 0 && header[end - 1] === 0) end--;
  let json: unknown;
  let text = "";
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(header.subarray(0, end));
    if (text.startsWith("{")) json = JSON.parse(text);
  } catch (cause) {
    fail("format_invalid", file, "has a header that is not JSON", cause);
  }
  if (typeof json !== "object" || json === null)
    return fail("format_invalid", file, "has a header that does not begin with {");
  if (hasDuplicateKeys(text, json)) fail("format_invalid", file, "has a key twice in its header");
  return json;
}

function readEntry(value: unknown, called: string, file: string): SafetensorsEntry {
  const parsed = entrySchema.safeParse(value);
  if (!parsed.success) return fail("format_invalid", file, `has a malformed header entry for ${called}`);
  const { dtype: stated, shape, data_offsets } = parsed.data;
  const dtype = safetensorsDtypes.get(stated);
  if (dtype === undefined) {
    return fail(
      "format_unsupported",
      file,
      `has ${called} of type ${stated}; read are ${[...safetensorsDtypes.keys()].join(", ")}`,
    );
  }
  const [begin, end] = data_offsets;
  const bytes = storedSize(dtype, shape);
  if (end - begin !== bytes) {
    fail(
      "format_invalid",
      file,
      `gives ${called} of shape [${shape.join(", ")}] in ${stated} ${end - begin} bytes where it takes ${bytes}`,
    );
  }
  return { dtype, shape, begin, end };
}

function checkPlaces(entries: ReadonlyMap<string, SafetensorsEntry>, dataBytes: number, file: string): void {
  let free = 0;
  const inOrder = [...entries].sort(([, a], [, b]) => a.begin - b.begin || a.end - b.end);
  for (const [name, { begin, end }] of inOrder) {
    if (begin !== free) {
      const problem = begin < free ? "overlap" : "leave a gap";
      fail(
        "format_invalid",
        file,
        `has tensor ${JSON.stringify(name)} at byte ${begin} of its data where ${free} is due: tensors ${problem}`,
      );
    }
    free = end;
  }
  if (free > dataBytes)
    fail("format_truncated", file, `announces ${free} bytes of data, and has ${dataBytes}`);
  if (free < dataBytes) fail("format_invalid", file, `has ${dataBytes - free} bytes after its last tensor`);
}

function fail(code: FormatError["code"], file: string, problem: string, cause?: unknown): never {
  throw new FormatError(code, `${file} ${problem}`, { file }, cause === undefined ? undefined : { cause });
}
