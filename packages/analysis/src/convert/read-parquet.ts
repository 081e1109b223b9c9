import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { DatasetError, fileError } from "../dataset/dataset-error.ts";
import { hashingCreator } from "../files/parquet/parquet-chunks.ts";
import { openParquet, type ParquetFile } from "../files/parquet/parquet-file.ts";
import { checkPath } from "../options/check-path.ts";
import { readingFile } from "./convert-errors.ts";
import type { TableFile } from "./table-file.ts";
import { tableSource, type ImportedSource, type ImportOptions } from "./table-source.ts";
import { checkOptions } from "../options/check-options.ts";
import { tableReading } from "./file-options.ts";

/**
 * Opens the rows of a Parquet file, or of all `.parquet` files of a folder by name; only row groups and columns that are asked
 * for are read. What `writeParquet` wrote is the same again, bit for bit; of other files the map says which column is what.
 * Throws DatasetError.
 */
export async function readParquet(path: string, options: ImportOptions = {}): Promise<ImportedSource> {
  checkPath(path, "path");
  checkOptions(tableReading, options, "Parquet options");
  return tableSource(await parquetTable(path), options);
}

/** A Parquet file, or a folder of them, as one table. */
export async function parquetTable(path: string): Promise<TableFile> {
  const paths = await partsOf(path);
  const files: ParquetFile[] = [];
  for (const part of paths) files.push(await readingFile(part, "Parquet", () => openParquet(part)));
  const [first] = files as [ParquetFile];
  for (const [i, { schema }] of files.entries()) {
    if (String(schema) !== String(first.schema)) throw otherColumns(paths[i] as string, paths[0] as string);
  }
  const places = files.flatMap((file) => file.groups.map(({ rows }, index) => ({ file, index, rows })));
  return {
    kind: "Parquet",
    path,
    schema: first.schema,
    parts: files.map(({ rows, metadata, mentions, createdBy }, i) => {
      const hashed = createdBy === hashingCreator ? "yes" : "no";
      return { path: paths[i] as string, rows, metadata, mentions, hashed };
    }),
    groups: places,
    read(group, { columns, from, to }) {
      const { file, index } = places[group] as (typeof places)[number];
      return file.read(index, { columns, from, to });
    },
  };
}

async function partsOf(path: string): Promise<string[]> {
  const found = await stat(path).catch((error: unknown) => {
    throw fileError(error, path, "read");
  });
  if (!found.isDirectory()) return [path];
  const names = (await readdir(path)).filter((name) => name.endsWith(".parquet")).sort();
  if (names.length > 0) return names.map((name) => join(path, name));
  throw new DatasetError("file_invalid", {
    path,
    found: "a folder without .parquet files",
    expected: "a Parquet file, or a folder of them",
    advice: "Check the path.",
  });
}

function otherColumns(path: string, first: string): DatasetError {
  return new DatasetError("file_invalid", {
    path,
    found: "other columns or types than the first file's",
    expected: `the columns of ${first}`,
    advice: "Read the files one by one, or write them with the same columns.",
  });
}
