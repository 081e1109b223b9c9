import { writeNpyRows, writeSafetensors } from "@residua/lens";
import { mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileError } from "../dataset/dataset-error.ts";
import type { RowSource } from "../dataset/row-source.ts";
import { widenNumbers } from "../dataset/widen-numbers.ts";
import { makeFolder } from "../files/make-folder.ts";
import { parquetChunks } from "../files/parquet/parquet-chunks.ts";
import { checkPath } from "../options/check-path.ts";
import { layerColumn } from "../shards/shard-schema.ts";
import { headerKey, rowsHeader } from "./rows-header.ts";
import { tableBatches } from "./table-batches.ts";
import { refuseTaken, untilAborted, writeOnce, type WriteOptions } from "./write-once.ts";

/** The columns that are not layers stand in a Parquet file beside the tensors. */
export function columnsFile(path: string): string {
  return path.endsWith(".safetensors")
    ? `${path.slice(0, -".safetensors".length)}.columns.parquet`
    : join(path, "columns.parquet");
}

/**
 * Writes rows as a safetensors file: a tensor `layer_L` of [rows, hiddenSize] for each layer, in the rows' own type, with the columns as
 * `NAME.columns.parquet` beside it. Layers stream. Throws DatasetError.
 */
export async function writeSafetensorsRows(
  source: RowSource,
  path: string,
  options: WriteOptions = {},
): Promise<void> {
  checkPath(path, "path");
  const { dtype, rows, hiddenSize, layers } = source;
  if (options.replace !== true) for (const file of [path, columnsFile(path)]) await refuseTaken(file);
  const tensors = layers.map((layer) => ({ name: layerColumn(layer), dtype, shape: [rows, hiddenSize] }));
  const header = rowsHeader(source, "own");
  const read = (name: string): AsyncIterable<Uint8Array> =>
    layerBytes(source, layers[tensors.findIndex((tensor) => tensor.name === name)] as number, options);
  // Both are written aside and then put in place, so that columns never stand beside tensors of other rows.
  const aside = await mkdtemp(join(dirname(path), `.${basename(path)}-`)).catch((error: unknown) => {
    throw fileError(error, path, "write");
  });
  const made = join(aside, basename(path));
  try {
    await writeColumns(source, columnsFile(made), options);
    const metadata = { [headerKey]: JSON.stringify(header) };
    await writing(path, () => writeSafetensors(made, tensors, read, metadata), options);
    await rm(columnsFile(path), { force: true });
    await rename(made, path);
    await rename(columnsFile(made), columnsFile(path));
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
}

export interface NpyOptions extends WriteOptions {
  /** NumPy has no bfloat16: its rows are written as float32 (default), which holds them exactly, or as bits in uint16. */
  numbers?: "float32" | "bits";
}

/**
 * Writes rows as a folder of `layer_L.npy` arrays of [rows, hiddenSize] (float16 and float32 as they are) and `columns.parquet`. Layers
 * stream. Throws DatasetError.
 */
export async function writeNpyFolder(
  source: RowSource,
  path: string,
  options: NpyOptions = {},
): Promise<void> {
  checkPath(path, "path");
  const { rows, hiddenSize, layers, dtype } = source;
  if (options.replace !== true) await refuseTaken(path);
  await makeFolder(path).catch((error: unknown) => {
    throw fileError(error, path, "write");
  });
  const numbers = dtype === "bfloat16" ? (options.numbers ?? "float32") : "own";
  const stored = { float32: "float32", bits: "uint16", own: dtype }[numbers] as
    "float32" | "uint16" | "float16";
  // The columns carry the header and come last: a folder without them is not whole.
  await rm(columnsFile(path), { force: true });
  // A layer of what was there before would be read as one of these rows.
  for (const name of await readdir(path)) {
    if (/^layer_(-1|\d{1,6})\.npy$/.test(name)) await rm(join(path, name));
  }
  for (const layer of layers) {
    const file = join(path, `${layerColumn(layer)}.npy`);
    const bytes = layerBytes(source, layer, { ...options, widen: numbers === "float32" });
    await writing(
      file,
      () => writeNpyRows(file, { dtype: stored, shape: [rows, hiddenSize] }, bytes),
      options,
    );
  }
  await writeColumns(source, columnsFile(path), options, numbers);
}

/** The rows of one layer as bytes, block by block. */
async function* layerBytes(
  source: RowSource,
  layer: number,
  { signal, widen = false }: WriteOptions & { widen?: boolean },
): AsyncGenerator<Uint8Array> {
  for await (const { numbers } of untilAborted(source.layerBlocks(layer), signal)) {
    let values = numbers;
    if (widen) widenNumbers(numbers, source.dtype, (values = new Float32Array(numbers.length)));
    yield new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  }
}

/** The columns alone, with the header of all. */
async function writeColumns(
  source: RowSource,
  path: string,
  options: WriteOptions,
  stored: "float32" | "bits" | "own" = "own",
): Promise<void> {
  const header = rowsHeader(source, stored);
  const batches = tableBatches(source, { numbers: "float32", only: "columns", header });
  await writeOnce(path, parquetChunks(batches, { compression: "zstd" }), options);
}

async function writing(path: string, write: () => Promise<void>, { signal }: WriteOptions): Promise<void> {
  await write().catch((error: unknown) => {
    if (signal?.aborted === true) throw signal.reason;
    // What the source threw is not the disk's fault.
    throw (error as NodeJS.ErrnoException).syscall === undefined ? error : fileError(error, path, "write");
  });
}
