import { hasDuplicateKeys } from "@residua/lens";
import { realpath, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { LayoutError, openRegular } from "../files/file-read.ts";
import { DatasetError, fileError } from "./dataset-error.ts";
import {
  datasetSchemaVersion,
  manifestName,
  manifestSchema,
  type DatasetManifest,
} from "./dataset-manifest.ts";
import { migrateManifest } from "./migrate-manifest.ts";
import { writingName } from "./writing-mark.ts";

/** A thousand shards take a quarter of a megabyte. */
const longestManifest = 256 << 20;

/** Reads and checks `dataset.json`. Throws DatasetError. */
export async function readManifest(folder: string): Promise<DatasetManifest> {
  const path = join(folder, manifestName);
  return manifestOf(await manifestText(folder, path), path);
}

/** The text of a `dataset.json`, checked; `path` is where it is from. Throws DatasetError. */
export function manifestOf(text: string, path: string): DatasetManifest {
  const json = parseJson(text, path);
  const version = (json as { schemaVersion?: unknown } | null)?.schemaVersion;
  if (version !== undefined && version !== datasetSchemaVersion && version !== 1) {
    throw new DatasetError("schema_version_unknown", {
      path,
      found: `schemaVersion ${JSON.stringify(version)}`,
      expected: `schemaVersion 1 or ${datasetSchemaVersion}`,
      advice: "It was written by another version of Residua: open it with that one.",
    });
  }
  const parsed = manifestSchema.safeParse(version === 1 ? migrateManifest(json) : json);
  if (!parsed.success) throw invalidManifest(path, z.prettifyError(parsed.error).replaceAll(/\s+/g, " "));
  return parsed.data;
}

async function manifestText(folder: string, path: string): Promise<string> {
  try {
    const real = await realpath(path);
    if (dirname(real) !== (await realpath(folder))) throw linkedManifest(path);
    const { file, found } = await openRegular(real);
    try {
      if (found.size > longestManifest) throw invalidManifest(path, `${found.size} bytes`);
      return new TextDecoder("utf-8", { fatal: true }).decode(await file.readFile());
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof DatasetError) throw error;
    const isFolder = (await isDirectory(path)) === true;
    if (error instanceof LayoutError && !isFolder) throw invalidManifest(path, error.message);
    if (error instanceof TypeError) throw invalidManifest(path, "not UTF-8");
    throw await missingManifest(folder, error, isFolder);
  }
}

function parseJson(text: string, path: string): unknown {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw invalidManifest(path, `not JSON: ${(error as Error).message}`);
  }
  // Of a key that comes twice, readers of other makes take another one than this does.
  if (hasDuplicateKeys(text, json)) throw invalidManifest(path, "a key that comes twice in an object");
  return json;
}

function linkedManifest(path: string): DatasetError {
  return new DatasetError("outside_folder", {
    path,
    found: "a link to a file outside the folder",
    expected: "a file inside the dataset's own folder",
    advice: "Open the folder that the link leads to, if you trust it.",
  });
}

function invalidManifest(path: string, found: string): DatasetError {
  return new DatasetError("manifest_invalid", {
    path,
    found,
    expected: "the manifest of an activation dataset, as it was written",
    advice: "Restore the file, or collect again into another folder.",
  });
}

async function missingManifest(folder: string, error: unknown, inItsPlace: boolean): Promise<unknown> {
  const missing = ["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "");
  if (!missing && !inItsPlace) {
    return fileError(error, join(folder, manifestName), "read");
  }
  const isFolder = await isDirectory(folder);
  const there = async (name: string): Promise<boolean> =>
    isFolder === true && (await stat(join(folder, name)).catch(() => undefined)) !== undefined;
  if (await there("collect.jsonl")) {
    return new DatasetError("dataset_incomplete", {
      path: folder,
      found: "a collection that has not ended",
      expected: `a folder with ${manifestName}, which is written last`,
      advice: "Run the same collection again: it goes on after the finished shards.",
    });
  }
  if (await there("rollouts.jsonl")) {
    return new DatasetError("dataset_incomplete", {
      path: folder,
      found: "rollouts that were not all sampled and graded",
      expected: `a folder with ${manifestName}, which is written last`,
      advice:
        "Run the same collectRollouts again: what is in rollouts.jsonl is neither sampled nor graded again.",
    });
  }
  if (await there(writingName)) {
    return new DatasetError("dataset_incomplete", {
      path: folder,
      found: "a dataset whose writing has not ended",
      expected: `a folder with ${manifestName}, which is written last`,
      advice: "Run what wrote it again: it begins anew in the same folder.",
    });
  }
  return new DatasetError("not_a_dataset", {
    path: folder,
    found: isFolder === undefined ? "nothing there" : isFolder ? `no ${manifestName} in it` : "not a folder",
    expected: `a folder with ${manifestName} and Arrow shards, as \`collect\` writes it`,
    advice: "Check the path.",
  });
}

function isDirectory(path: string): Promise<boolean | undefined> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => undefined,
  );
}
