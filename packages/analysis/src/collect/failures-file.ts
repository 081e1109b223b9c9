import {
  Field,
  Int32,
  makeVector,
  Schema,
  Table,
  tableFromIPC,
  tableToIPC,
  Utf8,
  vectorFromArray,
} from "apache-arrow";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { DatasetError, fileError } from "../dataset/dataset-error.ts";
import { checkShardFile, checkShardSum } from "../dataset/dataset-shard.ts";
import { writeFileAtomic } from "../files/file-atomic.ts";
import { failureSchema, type CollectFailure } from "./collect-failure.ts";

/** A file of failures, as `dataset.json` lists it. */
export interface FailuresFile {
  file: string;
  rows: number;
  bytes: number;
  sha256: string;
}

const texts = ["example", "content_hash", "stage", "name", "code", "message", "time"] as const;
const numbers = ["index", "attempts"] as const;
const nullable: readonly string[] = ["content_hash", "code"];

/** `failures.arrow` of a first run; later runs leave its name to the manifest that still lists it. */
export function failuresName(run: number): string {
  return run === 0 ? "failures.arrow" : `failures.r${run}.arrow`;
}

/** Writes the failures as an Arrow file, one row each, in the order of the examples. */
export async function writeFailures(
  folder: string,
  file: string,
  failures: readonly CollectFailure[],
): Promise<FailuresFile> {
  const rows = failures.map(({ contentHash, ...rest }) => ({ ...rest, content_hash: contentHash }));
  const columns = {
    ...Object.fromEntries(
      texts.map((name) => [
        name,
        vectorFromArray(
          rows.map((row) => row[name]),
          new Utf8(),
        ),
      ]),
    ),
    ...Object.fromEntries(
      numbers.map((name) => [name, makeVector(Int32Array.from(rows, (row) => row[name]))]),
    ),
  };
  const schema = new Schema([
    ...texts.map((name) => new Field(name, new Utf8(), nullable.includes(name))),
    ...numbers.map((name) => new Field(name, new Int32(), false)),
  ]);
  const bytes = tableToIPC(new Table(schema, columns), "file");
  const written = await writeFileAtomic(join(folder, file), [bytes]);
  return { file, rows: rows.length, ...written };
}

/** Reads the failures that a manifest lists. Throws DatasetError. */
export async function readFailures(folder: string, listed: FailuresFile): Promise<CollectFailure[]> {
  const path = await checkShardFile(folder, listed);
  await checkShardSum(path, listed.sha256);
  const bytes = await readFile(path).catch((error: unknown) => {
    throw fileError(error, path, "read");
  });
  const damaged = (found: string, cause?: unknown): DatasetError =>
    new DatasetError("shard_corrupt", {
      path,
      found,
      expected: `an Arrow file of ${listed.rows} failures with the columns ${[...texts, ...numbers].join(", ")}`,
      advice: "Restore the file from a copy, or collect again into another folder.",
      cause,
    });
  try {
    const rows = tableFromIPC(bytes)
      .toArray()
      .map((row: { toJSON(): Record<string, unknown> }) => {
        const { content_hash: contentHash, ...rest } = row.toJSON();
        return { ...rest, contentHash };
      });
    const failures = z.array(failureSchema).parse(rows);
    if (failures.length !== listed.rows) throw new Error(`${failures.length} rows`);
    return failures;
  } catch (error) {
    throw damaged((error as Error).message.replaceAll(/\s+/g, " ").slice(0, 200), error);
  }
}
