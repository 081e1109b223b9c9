import { checkFormatArguments } from "../../arguments/check-arguments.ts";
import { fields, listOf, oneOf, text, whole } from "../../arguments/kinds.ts";
import { rowRange } from "../arrays/row-range.ts";
import { storedBytes, storedSize, type StoredArray } from "../arrays/stored-array.ts";
import { ByteCursor } from "../files/byte-cursor.ts";
import { countedParts, fileParts } from "../files/counted-parts.ts";
import { openFile, type RangeFile } from "../files/open-file.ts";
import { writeFileWhole, type FileParts } from "../files/write-file.ts";
import { FormatError } from "../format-error.ts";
import { maxHeaderBytes, npyHeader, readNpyHeader, type NpyHeader } from "./npy-header.ts";
import { checkNpyData, littleEndian, npyOptions, type NpyOptions } from "./npy.ts";

const formKind = fields({ dtype: oneOf(Object.keys(storedBytes)), shape: listOf(whole(0)) }, { loose: true });

/** An open .npy file of any size, read by rows of its first axis. */
export interface NpyFile {
  readonly dtype: StoredArray["dtype"];
  readonly shape: readonly number[];
  /**
   * Entries `first` to `first + count − 1` of the first axis, or of the first `axes` axes taken as one (row r of layer l of an array
   * [layers, rows, width] is entry l · rows + r of two). Error `format_missing`.
   */
  readRows(first: number, count: number, axes?: number): Promise<StoredArray>;
  close(): Promise<void>;
}

/**
 * Opens a .npy file to read parts of it. Throws FormatError, `format_unsupported` for an array in Fortran order, whose rows lie
 * scattered over the whole file.
 */
export async function openNpy(path: string, options: NpyOptions = {}): Promise<NpyFile> {
  checkFormatArguments("openNpy", { path: [path, text], options: [options, npyOptions] });
  const file = await openFile(path);
  try {
    const cursor = new ByteCursor(await file.read(0, Math.min(file.size, maxHeaderBytes + 12)), file.name);
    const header = readNpyHeader(cursor, options.voidAs);
    checkNpyData(header, file.size - cursor.at, file.name);
    if (header.fortranOrder && header.shape.filter((length) => length > 1).length > 1) {
      throw new FormatError(
        "format_unsupported",
        `${file.name} is in Fortran order: its rows cannot be read alone. Save np.ascontiguousarray(array), or use readNpy`,
        { file: file.name },
      );
    }
    return npyFile(file, header, cursor.at);
  } catch (error) {
    await file.close();
    throw error;
  }
}

function npyFile(file: RangeFile, header: NpyHeader, dataStart: number): NpyFile {
  const { dtype, shape } = header;
  return Object.freeze({
    dtype,
    shape,
    async readRows(first: number, count: number, axes = 1): Promise<StoredArray> {
      const { begin, length, rest } = rowRange({ dtype, shape }, { first, count, axes }, file.name);
      const bytes = await file.read(dataStart + begin, length);
      return { dtype, shape: [count, ...rest], bytes: littleEndian(bytes, header) };
    },
    close: () => file.close(),
  });
}

/**
 * Writes a .npy file whose data comes in parts (little-endian, C order), whole or not at all: nothing but one part need be in
 * memory. Throws FormatError, `format_invalid` where the parts are not as many bytes as the shape takes.
 */
export async function writeNpyRows(
  path: string,
  form: Pick<StoredArray, "dtype" | "shape">,
  parts: FileParts,
): Promise<void> {
  checkFormatArguments("writeNpyRows", {
    path: [path, text],
    form: [form, formKind],
    parts: [parts, fileParts],
  });
  const { dtype, shape } = form;
  const header = npyHeader(dtype, shape);
  const size = storedSize(dtype, shape);
  await writeFileWhole(path, all());

  async function* all() {
    yield header;
    yield* countedParts(parts, size, `an array of shape [${shape.join(", ")}] in ${dtype}`);
  }
}
