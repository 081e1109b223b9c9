import type { StoredDtype } from "../arrays/stored-array.ts";
import type { ByteCursor } from "../files/byte-cursor.ts";
import { FormatError } from "../format-error.ts";

export interface NpyHeader {
  readonly dtype: StoredDtype;
  readonly bigEndian: boolean;
  readonly fortranOrder: boolean;
  readonly shape: readonly number[];
}

/** NumPy's names of the types, without the byte order. */
const dtypes: ReadonlyMap<string, StoredDtype> = new Map<string, StoredDtype>([
  ["f8", "float64"],
  ["f4", "float32"],
  ["f2", "float16"],
  ["i8", "int64"],
  ["i4", "int32"],
  ["i2", "int16"],
  ["i1", "int8"],
  ["u8", "uint64"],
  ["u4", "uint32"],
  ["u2", "uint16"],
  ["u1", "uint8"],
  ["b1", "bool"],
]);
const nameOf = new Map([...dtypes].map(([name, dtype]) => [dtype, name]));

const magic = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59];
/** NumPy itself refuses headers over this when it reads files of others. */
export const maxHeaderBytes = 10_000;
const item =
  /\s*'(descr|fortran_order|shape)'\s*:\s*(?:'([^']*)'|(True|False)|\(([\d\s,L]*)\))\s*(?:,|(?=\}))/y;

/**
 * Reads the header of a .npy file, versions 1 to 3, and leaves the cursor at the data. `voidAs` says what types without a
 * name are: bfloat16 has none in NumPy and is written as V2. Throws FormatError.
 */
export function readNpyHeader(cursor: ByteCursor, voidAs?: "bfloat16"): NpyHeader {
  const { file } = cursor;
  if (cursor.left < 10 || magic.some((byte) => cursor.uint8() !== byte))
    fail("format_invalid", file, "is no .npy file");
  const [major, minor] = [cursor.uint8(), cursor.uint8()];
  if (major < 1 || major > 3 || minor !== 0) {
    fail("format_unsupported", file, `is .npy version ${major}.${minor}; 1.0, 2.0 and 3.0 are read`);
  }
  const length = major === 1 ? cursor.uint16() : cursor.uint32();
  if (length > maxHeaderBytes)
    fail("format_too_large", file, `has a header of ${length} bytes; at most ${maxHeaderBytes} are read`);
  const fields = readFields(cursor.text(length), file);
  return {
    ...readDescr(fields.descr, file, voidAs),
    fortranOrder: fields.fortranOrder,
    shape: fields.shape,
  };
}

/** The header that NumPy writes for a C-order array, version 1.0, with room for the first length to grow. */
export function npyHeader(dtype: StoredDtype, shape: readonly number[]): Uint8Array {
  const name = nameOf.get(dtype);
  if (name === undefined) {
    throw new FormatError("format_unsupported", `.npy has no ${dtype}; write float32, or safetensors`, {
      dtype,
    });
  }
  const order = name.endsWith("1") ? "|" : "<";
  const lengths = shape.length === 1 ? `${shape[0]},` : shape.join(", ");
  const text = `{'descr': '${order}${name}', 'fortran_order': False, 'shape': (${lengths}), }`;
  const grown = text.length + (shape.length === 0 ? 0 : Math.max(0, 21 - String(shape[0]).length));
  const total = Math.ceil((10 + grown + 1) / 64) * 64;
  const header = new TextEncoder().encode(`${text.padEnd(total - 11)}\n`);
  return Uint8Array.of(...magic, 1, 0, header.length & 0xff, header.length >> 8, ...header);
}

/** A Python dict of three known keys, and nothing else. */
function readFields(text: string, file: string) {
  const malformed = (): never =>
    fail(
      "format_invalid",
      file,
      `has a header that is not NumPy's: ${JSON.stringify(text.trim().slice(0, 200))}`,
    );
  const body = text.trim();
  const found = new Map<string, RegExpExecArray>();
  if (!body.startsWith("{")) malformed();
  item.lastIndex = 1;
  let at = 1;
  for (let match = item.exec(body); match !== null; match = item.exec(body)) {
    if (found.has(match[1]!)) malformed();
    found.set(match[1]!, match);
    at = item.lastIndex;
  }
  const descr = found.get("descr")?.[2];
  const order = found.get("fortran_order")?.[3];
  const lengths = found.get("shape")?.[4];
  if (body.slice(at).trim() !== "}" || descr === undefined || order === undefined || lengths === undefined) {
    if (/'descr'\s*:\s*\[/.test(text))
      fail("format_unsupported", file, "holds records of several fields; arrays of one type are read");
    return malformed();
  }
  // Python 2 wrote an L after each length.
  const shape = lengths.split(",").map((length) => length.trim().replace(/L$/, ""));
  if (shape.at(-1) === "") shape.pop();
  if (shape.some((length) => !/^\d{1,15}$/.test(length)) || shape.length > 32) malformed();
  return { descr, fortranOrder: order === "True", shape: shape.map(Number) };
}

function readDescr(descr: string, file: string, voidAs: "bfloat16" | undefined) {
  if (/^\|?O/.test(descr)) {
    fail(
      "format_refused",
      file,
      "holds Python objects, as a pickle; nothing was run. Save arrays of numbers",
    );
  }
  const [, order, name] = /^([<>|=])(\w+)$/.exec(descr) ?? [];
  const dtype = name === "V2" ? voidAs : dtypes.get(name ?? "");
  if (dtype === undefined || order === "=") {
    const hint =
      name === "V2"
        ? 'two bytes of no type: say { voidAs: "bfloat16" } if that is what they are'
        : `the type ${JSON.stringify(descr)}`;
    return fail("format_unsupported", file, `holds ${hint}; read are ${[...dtypes.keys()].join(", ")}`);
  }
  return { dtype, bigEndian: order === ">" };
}

function fail(code: FormatError["code"], file: string, problem: string): never {
  throw new FormatError(code, `${file} ${problem}`, { file });
}
