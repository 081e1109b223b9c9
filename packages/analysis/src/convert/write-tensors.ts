import { writeNpyRows, writeSafetensors } from "@residua/lens";
import { randomUUID } from "node:crypto";
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { fileError } from "../dataset/dataset-error.ts";
import { checkedSource } from "../dataset/checked-source.ts";
import type { RowSource } from "../dataset/row-source.ts";
import { widenNumbers } from "../dataset/widen-numbers.ts";
import { makeFolder } from "../files/make-folder.ts";
import { parquetChunks } from "../files/parquet/parquet-chunks.ts";
import { checkPath } from "../options/check-path.ts";
import { layerColumn } from "../shards/shard-schema.ts";
import { layerSum, rowSums, type ColumnSum, type RowSums } from "./column-sums.ts";
import { columnsFile, writingMark } from "./export-names.ts";
import { replaceMetadata } from "./replace-metadata.ts";
import { headerMetadata, rowsHeader, sumsMetadata, type RowsHeader } from "./rows-header.ts";
import { tableBatches } from "./table-batches.ts";
import { refuseTaken, untilAborted, writeOnce, type WriteOptions } from "./write-once.ts";
import { checkOptions } from "../options/check-options.ts";
import { npyWriting, safetensorsWriting } from "./file-options.ts";

/**
 * Writes rows as a safetensors file: a tensor `layer_L` of [rows, hiddenSize] for each layer, in the rows' own type, with the columns as
 * `NAME.columns.parquet` beside it. Layers stream. Throws DatasetError.
 */
export async function writeSafetensorsRows(
  given: RowSource,
  path: string,
  options: WriteOptions = {},
): Promise<void> {
  checkPath(path, "path");
  checkOptions(safetensorsWriting, options, "safetensors options");
  const source = checkedSource(given);
  const { dtype, rows, hiddenSize, layers } = source;
  if (options.replace !== true) for (const file of [path, columnsFile(path)]) await refuseTaken(file);
  const tensors = layers.map((layer) => ({ name: layerColumn(layer), dtype, shape: [rows, hiddenSize] }));
  const sums = layers.map(() => layerSum());
  const read = (name: string): AsyncIterable<Uint8Array> => {
    const at = tensors.findIndex((tensor) => tensor.name === name);
    return layerBytes(source, layers[at] as number, sums[at] as LayerSum, options);
  };
  // Both are written aside and then put in place, so that columns never stand beside tensors of other rows.
  const made = await folderBeside(path);
  try {
    const tensorFile = join(made, basename(path));
    const columns = columnsFile(tensorFile);
    const header = rowsHeader(source, "own");
    const withSums = (sums: RowSums) => new Map([...headerMetadata(header), ...sumsMetadata(header, sums)]);
    // The metadata stand before the tensors, whose hashes are known after them: room is left.
    const blank = (count: number): string[] => Array.from({ length: count }, () => "0".repeat(64));
    const room = { rows, columnHashes: blank(source.fields.length), layerHashes: blank(layers.length) };
    const before = withSums(room);
    const write = (): Promise<void> =>
      writeSafetensors(tensorFile, tensors, read, Object.fromEntries(before));
    await writing(path, write, options);
    const known = await writeColumns(source, columns, { ...options, header, sums });
    await writing(path, () => replaceMetadata(tensorFile, before, withSums(known)), options);
    await rm(columnsFile(path), { force: true });
    await rename(tensorFile, path);
    await rename(columns, columnsFile(path));
  } finally {
    await rm(made, { recursive: true, force: true });
  }
}

export interface NpyOptions extends WriteOptions {
  /** NumPy has no bfloat16: its rows are written as float32 (default), which holds them exactly, or as bits in uint16. */
  numbers?: "float32" | "bits";
}

/**
 * Writes rows as a folder of `layer_L.npy` arrays of [rows, hiddenSize] (float16 and float32 as they are) and `columns.parquet`. Layers
 * stream. A new folder is there whole or not at all; while files of one that was there are replaced, it is marked and refused by
 * `readNpyRows`. Throws DatasetError.
 */
export async function writeNpyFolder(
  given: RowSource,
  path: string,
  options: NpyOptions = {},
): Promise<void> {
  checkPath(path, "path");
  checkOptions(npyWriting, options, "npy options");
  const source = checkedSource(given);
  const { rows, hiddenSize, layers, dtype } = source;
  if (options.replace !== true) await refuseTaken(path);
  const stored = dtype === "bfloat16" ? (options.numbers ?? "float32") : "own";
  const form = { float32: "float32", bits: "uint16", own: dtype }[stored] as "float32" | "uint16" | "float16";
  const sums = layers.map(() => layerSum());
  const made = await folderBeside(path);
  try {
    for (const [i, layer] of layers.entries()) {
      const file = join(made, `${layerColumn(layer)}.npy`);
      const how = { ...options, widen: stored === "float32" };
      const bytes = layerBytes(source, layer, sums[i] as LayerSum, how);
      const write = (): Promise<void> =>
        writeNpyRows(file, { dtype: form, shape: [rows, hiddenSize] }, bytes);
      await writing(file, write, options);
    }
    const header = rowsHeader(source, stored);
    await writeColumns(source, columnsFile(made), { ...options, header, sums });
    await writing(path, () => putInPlace(made, path), options);
  } finally {
    await rm(made, { recursive: true, force: true });
  }
}

/** Makes the files of a folder those of another one, whose other files stay. */
async function putInPlace(made: string, path: string): Promise<void> {
  // Fails where the folder has files, and else leaves it or all of the new one.
  const moved = await rename(made, path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (["ENOTEMPTY", "EEXIST", "EPERM"].includes(error.code ?? "")) return false;
      throw error;
    },
  );
  if (moved) return;
  await writeFile(join(path, writingMark), "");
  await rm(columnsFile(path), { force: true });
  // A layer of what was there before would be read as one of these rows.
  for (const name of await readdir(path)) {
    if (/^layer_(-1|\d{1,6})\.npy$/.test(name)) await rm(join(path, name));
  }
  for (const name of await readdir(made)) await rename(join(made, name), join(path, name));
  await rm(join(path, writingMark));
}

type LayerSum = ColumnSum<Uint16Array | Float32Array>;

/** A folder that only its maker knows, on the same disk, with the rights that any new folder has. */
async function folderBeside(path: string): Promise<string> {
  const parent = dirname(resolve(path));
  try {
    await makeFolder(parent);
    const made = join(parent, `.${basename(path)}-${randomUUID()}`);
    await mkdir(made);
    return made;
  } catch (error) {
    throw fileError(error, path, "write");
  }
}

/** The rows of one layer as bytes, block by block. */
async function* layerBytes(
  source: RowSource,
  layer: number,
  sum: LayerSum,
  { signal, widen = false }: WriteOptions & { widen?: boolean },
): AsyncGenerator<Uint8Array> {
  for await (const { numbers } of untilAborted(source.layerBlocks(layer), signal)) {
    sum.add(numbers);
    let values = numbers;
    if (widen) widenNumbers(numbers, source.dtype, (values = new Float32Array(numbers.length)));
    yield new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  }
}

/** The columns alone, with the header and the hashes of all, which are returned. The layers must have been written. */
async function writeColumns(
  source: RowSource,
  path: string,
  { header, sums, ...options }: WriteOptions & { header: RowsHeader; sums: readonly LayerSum[] },
): Promise<RowSums> {
  const ofColumns = rowSums({ fields: source.fields, layers: [] });
  const form = {
    numbers: "float32",
    only: "columns",
    metadata: headerMetadata(header),
    sums: ofColumns,
  } as const;
  const layerHashes = sums.map((sum) => sum.digest());
  let known: RowSums = { rows: 0, columnHashes: [], layerHashes };
  const metadata = (): Map<string, string> => {
    known = { ...ofColumns.digest(), layerHashes };
    return sumsMetadata(header, known);
  };
  const chunks = parquetChunks(tableBatches(source, form), { compression: "zstd", metadata });
  await writeOnce(path, chunks, options);
  return known;
}

async function writing(path: string, write: () => Promise<void>, { signal }: WriteOptions): Promise<void> {
  await write().catch((error: unknown) => {
    if (signal?.aborted === true) throw signal.reason;
    // What the source threw is not the disk's fault.
    throw (error as NodeJS.ErrnoException).syscall === undefined ? error : fileError(error, path, "write");
  });
}
