import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { DatasetError, fileError } from "./dataset-error.ts";
import { planHash, planSchema } from "../collect/dataset-plan.ts";
import { reservedColumns } from "../examples/example.ts";
import { writeFileAtomic } from "../files/file-atomic.ts";
import { selectionSchema } from "../collect/select-rows.ts";

const manifestName = "dataset.json";
export const datasetSchemaVersion = 1;
export const layerConvention = "residual stream after block L (0-based), before the final norm";

const sha256 = z.string().regex(/^[0-9a-f]{64}$/, "a SHA-256 in hex");
const count = z.int().min(1);

export const shardEntrySchema = z.object({
  /** A plain name inside the folder. */
  file: z
    .string()
    .regex(/^[A-Za-z0-9_-][A-Za-z0-9._-]*\.arrow$/, "a file name ending in .arrow, without a path"),
  rows: count,
  examples: count,
  bytes: count,
  sha256,
});
export type ShardEntry = z.infer<typeof shardEntrySchema>;

const manifestSchema = z
  .object({
    format: z.literal("residua-activation-dataset"),
    schemaVersion: z.literal(datasetSchemaVersion),
    /** Id of the model, as sent. */
    model: z.string(),
    /** The name that the answers carried: what really computed the rows. */
    checkpoint: z.string(),
    layerConvention: z.literal(layerConvention),
    hiddenSize: count,
    /** Ascending. */
    layers: z.array(z.int().min(0)).min(1),
    selection: selectionSchema,
    dtype: z.literal("bfloat16"),
    /** Type of each label column. */
    labels: z.record(z.string(), z.enum(["bool", "float64", "utf8"])),
    rows: count,
    examples: count,
    shards: z.array(shardEntrySchema).min(1),
    plan: planSchema,
    contentHash: sha256,
    /** What lens's self-test found of the server, where it was run before the captures. */
    server: z.looseObject({ format: z.literal("residua-server-fingerprint"), hash: sha256 }).optional(),
    createdWith: z.string(),
  })
  .superRefine((manifest, context) => {
    const fault = (path: PropertyKey[], message: string): void =>
      context.addIssue({ code: "custom", path, message });
    const { layers, labels, shards, plan } = manifest;
    if (layers.some((layer, i) => i > 0 && layer <= (layers[i - 1] as number)))
      fault(["layers"], "not ascending");
    if (Object.keys(labels).some((label) => reservedColumns.includes(label) || /^layer_\d+$/.test(label))) {
      fault(["labels"], "a label has the name of another column");
    }
    if (new Set(shards.map(({ file }) => file)).size < shards.length)
      fault(["shards"], "a file is listed twice");
    for (const what of ["rows", "examples"] as const) {
      const sum = shards.reduce((total, shard) => total + shard[what], 0);
      if (sum !== manifest[what]) fault([what], `${manifest[what]}, but the shards have ${sum}`);
    }
    if (plan.hash !== planHash(plan)) fault(["plan", "hash"], "not the hash of the plan");
    if (manifest.contentHash !== contentHash(plan.hash, shards)) {
      fault(["contentHash"], "not the hash of the plan and the shards");
    }
  });
/** Content of `dataset.json`. */
export type DatasetManifest = z.infer<typeof manifestSchema>;

/** SHA-256 of the lines `plan hash` and, for each shard, `sha256 rows examples`. */
export function contentHash(plan: string, shards: readonly ShardEntry[]): string {
  const hash = createHash("sha256").update(`${plan}\n`);
  for (const shard of shards) hash.update(`${shard.sha256} ${shard.rows} ${shard.examples}\n`);
  return hash.digest("hex");
}

export async function writeManifest(folder: string, manifest: DatasetManifest): Promise<void> {
  const text = `${JSON.stringify(manifest, null, 2)}\n`;
  await writeFileAtomic(join(folder, manifestName), [new TextEncoder().encode(text)]);
}

/** Reads and checks `dataset.json`. Throws DatasetError. */
export async function readManifest(folder: string): Promise<DatasetManifest> {
  const path = join(folder, manifestName);
  const text = await readFile(path, "utf8").catch(async (error: unknown) => {
    throw await missingManifest(folder, error);
  });
  const json = parseJson(text, path);
  const version = (json as { schemaVersion?: unknown } | null)?.schemaVersion;
  if (version !== undefined && version !== datasetSchemaVersion) {
    throw new DatasetError("schema_version_unknown", {
      path,
      found: `schemaVersion ${JSON.stringify(version)}`,
      expected: `schemaVersion ${datasetSchemaVersion}`,
      advice: "It was written by another version of Residua: open it with that one.",
    });
  }
  const parsed = manifestSchema.safeParse(json);
  if (!parsed.success) throw invalidManifest(path, z.prettifyError(parsed.error).replaceAll(/\s+/g, " "));
  return parsed.data;
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalidManifest(path, `not JSON: ${(error as Error).message}`);
  }
}

function invalidManifest(path: string, found: string): DatasetError {
  return new DatasetError("manifest_invalid", {
    path,
    found,
    expected: "the manifest of an activation dataset, as it was written",
    advice: "Restore the file, or collect again into another folder.",
  });
}

async function missingManifest(folder: string, error: unknown): Promise<unknown> {
  if (!["ENOENT", "ENOTDIR", "EISDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) {
    return fileError(error, join(folder, manifestName), "read");
  }
  const isFolder = await stat(folder).then(
    (found) => found.isDirectory(),
    () => undefined,
  );
  const begun =
    isFolder === true && (await stat(join(folder, "collect.jsonl")).catch(() => undefined)) !== undefined;
  if (begun) {
    return new DatasetError("dataset_incomplete", {
      path: folder,
      found: "a collection that has not ended",
      expected: `a folder with ${manifestName}, which is written last`,
      advice: "Run the same collection again: it goes on after the finished shards.",
    });
  }
  return new DatasetError("not_a_dataset", {
    path: folder,
    found: isFolder === undefined ? "nothing there" : isFolder ? `no ${manifestName} in it` : "not a folder",
    expected: `a folder with ${manifestName} and Arrow shards, as \`collect\` writes it`,
    advice: "Check the path.",
  });
}
