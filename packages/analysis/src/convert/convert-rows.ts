import { z } from "zod";
import { InvalidRequestError } from "@residua/lens";
import { readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileError } from "../dataset/dataset-error.ts";
import type { ActivationDataset } from "../dataset/dataset-open.ts";
import type { RowSource } from "../dataset/row-source.ts";
import { writeDataset, type WriteDatasetOptions } from "../dataset/write-dataset.ts";
import { hashFile } from "../files/file-hash.ts";
import { checkPath } from "../options/check-path.ts";
import { readArrow } from "./arrow-table.ts";
import { readParquet } from "./read-parquet.ts";
import { readNpyRows, readSafetensorsRows, type TensorOptions } from "./read-tensors.ts";
import type { ImportedSource } from "./table-source.ts";
import { exists } from "../files/exists.ts";
import { writeArrow } from "./write-arrow.ts";
import { writeParquet, type ParquetOptions } from "./write-parquet.ts";
import { columnsFile } from "./export-names.ts";
import { writeNpyFolder, writeSafetensorsRows } from "./write-tensors.ts";
import { checkOptions } from "../options/check-options.ts";

export const rowFormats = ["parquet", "arrow", "safetensors", "npy"] as const;
export type RowFormat = (typeof rowFormats)[number];

export interface ExportRowsOptions extends ParquetOptions {
  format: RowFormat;
}

/** Writes rows as a file, or of `npy` as a folder, for other tools. Throws DatasetError. */
export async function exportRows(
  source: RowSource,
  path: string,
  { format, ...options }: ExportRowsOptions,
): Promise<void> {
  checkOptions(z.enum(rowFormats), format, "export options", "format");
  // Each refuses what is no option of its own.
  if (format === "parquet") await writeParquet(source, path, options);
  else if (format === "arrow") await writeArrow(source, path, options);
  else if (format === "npy") await writeNpyFolder(source, path, options);
  else await writeSafetensorsRows(source, path, options);
}

export interface ImportRowsOptions extends TensorOptions {
  /** Default: by the name's ending; a folder by those of its files. */
  format?: RowFormat;
}

/** Opens the rows of a file or folder of one of these formats. Throws DatasetError. */
export async function importRows(
  path: string,
  { format, ...options }: ImportRowsOptions = {},
): Promise<ImportedSource> {
  const { axis, columns, ...table } = options;
  checkPath(path, "path");
  checkOptions(z.enum(rowFormats).optional(), format, "import options", "format");
  const kind = format ?? (await formatOf(path));
  if (kind === "safetensors") return readSafetensorsRows(path, options);
  if (kind === "npy") return readNpyRows(path, options);
  for (const [field, value] of Object.entries({ axis, columns })) {
    if (value === undefined) continue;
    const issue = { field, given: `for ${kind}`, allowed: "for safetensors and npy" };
    throw new InvalidRequestError([issue], "options");
  }
  return kind === "arrow" ? readArrow(path, table) : readParquet(path, table);
}

export type ImportDatasetOptions = ImportRowsOptions &
  Pick<WriteDatasetOptions, "signal" | "onProgress" | "shardRows">;

/**
 * Makes a dataset of the rows of a file or folder. Its origin names the file and has the SHA-256 of each file that was read; what an
 * exported file says of model and selection is taken over. The rows of an example must follow each other. Throws DatasetError.
 */
export async function importDataset(
  path: string,
  to: string,
  { signal, onProgress, shardRows, ...options }: ImportDatasetOptions = {},
): Promise<ActivationDataset> {
  checkPath(to, "to");
  const source = await importRows(path, options);
  const from: string[] = [];
  for (const file of await filesOf(path, options.columns)) from.push(await hashFile(file));
  return writeDataset(to, source, {
    how: `convert ${basename(path)}`,
    from,
    about: source.about,
    ...(signal && { signal }),
    ...(onProgress && { onProgress }),
    ...(shardRows !== undefined && { shardRows }),
  });
}

const endings: Readonly<Record<string, RowFormat>> = {
  parquet: "parquet",
  arrow: "arrow",
  arrows: "arrow",
  feather: "arrow",
  safetensors: "safetensors",
  npy: "npy",
};

/** The format that a name's ending stands for, or those of a folder's files. */
async function formatOf(path: string): Promise<RowFormat> {
  const found = await stat(path).catch((error: unknown) => {
    throw fileError(error, path, "read");
  });
  const names = found.isDirectory() ? await readdir(path) : [path];
  const ending = (name: string): RowFormat | undefined => endings[/\.(\w+)$/.exec(name)?.[1] ?? ""];
  // Beside .npy files the columns are Parquet.
  const kinds = names.map(ending);
  const kind = kinds.includes("npy") ? "npy" : kinds.find((known) => known !== undefined);
  if (kind !== undefined) return kind;
  const allowed = `a name that ends in ${Object.keys(endings)
    .map((name) => `.${name}`)
    .join(", ")}, or a folder of such`;
  throw new InvalidRequestError(
    [{ field: "format", given: `none, for ${path}`, allowed, hint: "say format" }],
    "options",
  );
}

async function filesOf(path: string, columns: string | undefined): Promise<string[]> {
  if ((await stat(path)).isDirectory()) {
    const names = (await readdir(path)).filter(
      (name) => endings[/\.(\w+)$/.exec(name)?.[1] ?? ""] !== undefined,
    );
    return [...names.sort().map((name) => join(path, name)), ...(columns === undefined ? [] : [columns])];
  }
  const beside =
    path.endsWith(".safetensors") && (await exists(columnsFile(path))) ? columnsFile(path) : undefined;
  const more = columns ?? beside;
  return more === undefined ? [path] : [path, more];
}
