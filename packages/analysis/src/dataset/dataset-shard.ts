import type { BigIntStats, Stats } from "node:fs";
import { lstat, realpath, stat, type FileHandle } from "node:fs/promises";
import { join, sep } from "node:path";
import { DatasetError, fileError } from "./dataset-error.ts";
import { originHash, type DatasetManifest, type ShardEntry } from "./dataset-manifest.ts";
import { hashFile } from "../files/file-hash.ts";
import { LayoutError, openRegular } from "../files/file-read.ts";
import { readLayout, type ShardLayout } from "../shards/shard-layout.ts";
import { readIdentity, type ShardColumns, type ShardIdentity } from "../shards/shard-schema.ts";

const advice = "Restore the file from a copy, or collect again into another folder.";

/** The path of a shard, if it is there, inside its folder, and of the stated size. Throws DatasetError. */
export async function checkShardFile(
  folder: string,
  { file, bytes }: Pick<ShardEntry, "file" | "bytes">,
): Promise<string> {
  const path = join(folder, file);
  const found = await findShard(folder, path);
  if (found.size !== bytes) {
    throw new DatasetError("shard_size", {
      path,
      found: `${found.size} bytes`,
      expected: `${bytes} bytes, as dataset.json says`,
      advice,
    });
  }
  return path;
}

/** A regular file in the folder, or a link to one in it. */
async function findShard(folder: string, path: string): Promise<Stats> {
  try {
    const itself = await lstat(path);
    if (itself.isFile()) return itself;
    const real = await realpath(path);
    const found = await stat(real);
    if (found.isFile() && real.startsWith(`${await realpath(folder)}${sep}`)) return found;
    throw new DatasetError("outside_folder", {
      path,
      found: found.isFile() ? "a link to a file outside the folder" : "not a regular file",
      expected: "a file inside the dataset's own folder",
      advice: "Copy the file into the folder, if you trust it.",
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw fileError(error, path, "read");
    throw new DatasetError("shard_missing", {
      path,
      found: "no such file",
      expected: "a shard that dataset.json lists",
      advice,
      cause: error,
    });
  }
}

/** Compares a shard's bytes with its checksum. */
export async function checkShardSum(path: string, sha256: string): Promise<void> {
  const found = await hashFile(path).catch((error: unknown) => {
    throw fileError(error, path, "read");
  });
  if (found === sha256) return;
  throw new DatasetError("shard_checksum", { path, found: `SHA-256 ${found}`, expected: sha256, advice });
}

/** A shard that is open for reading. Every fault of its content becomes a DatasetError. */
export interface OpenShard {
  layout: ShardLayout;
  /** Tells the file as it is from what it was, or another one of its name. */
  version: string;
  read: <T>(use: (file: FileHandle) => Promise<T>) => Promise<T>;
  close(this: void): Promise<void>;
}

/**
 * Opens a shard and reads where its columns lie, unless that is `known` of this very version of the file. Throws DatasetError.
 */
export async function openShard(
  path: string,
  columns: ShardColumns,
  known?: { version: string; layout: ShardLayout },
): Promise<OpenShard> {
  const { file, found } = await openRegular(path).catch((error: unknown) => {
    throw shardFault(error, path);
  });
  const version = versionOf(found);
  const read = async <T>(use: (file: FileHandle) => Promise<T>): Promise<T> => {
    try {
      return await use(file);
    } catch (error) {
      throw shardFault(error, path);
    }
  };
  try {
    const layout =
      known?.version === version
        ? known.layout
        : await read(() => readLayout(file, Number(found.size), columns));
    return { layout, version, read, close: () => file.close() };
  } catch (error) {
    await file.close();
    throw error;
  }
}

function versionOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(" ");
}

function shardFault(error: unknown, path: string): unknown {
  if (!(error instanceof LayoutError)) return fileError(error, path, "read");
  return new DatasetError("shard_corrupt", {
    path,
    found: error.message,
    expected: "an Arrow IPC file with the columns that dataset.json describes",
    advice,
    cause: error,
  });
}

/** Opens a shard, hands its file and layout to `use`, and closes it. */
export async function withShard<T>(
  path: string,
  columns: ShardColumns,
  use: (file: FileHandle, layout: ShardLayout) => Promise<T>,
): Promise<T> {
  const shard = await openShard(path, columns);
  try {
    return await shard.read((file) => use(file, shard.layout));
  } finally {
    await shard.close();
  }
}

/** Whether an opened shard is the one that the manifest means at this place. Throws DatasetError `shard_mismatch`. */
export function checkShardPlace(
  path: string,
  layout: ShardLayout,
  manifest: DatasetManifest,
  index: number,
): void {
  const entry = manifest.shards[index] as ShardEntry;
  const before = manifest.shards.slice(0, index).reduce((sum, { examples }) => sum + examples, 0);
  const expected: ShardIdentity & { rows: number } = {
    plan: originHash(manifest.origin),
    checkpoint: manifest.checkpoint ?? "",
    shard: index,
    firstExample: before,
    examples: entry.examples,
    rows: entry.rows,
  };
  const identity = readIdentity(layout.metadata);
  const found = identity && { ...identity, rows: layout.rows };
  const differing = (Object.keys(expected) as (keyof typeof expected)[]).filter(
    (key) => found?.[key] !== expected[key],
  );
  if (differing.length === 0) return;
  throw new DatasetError("shard_mismatch", {
    path,
    found: found
      ? differing.map((key) => `${key} ${found[key]}`).join(", ")
      : "a shard that does not say its place",
    expected: differing.map((key) => `${key} ${expected[key]}`).join(", "),
    advice,
  });
}
