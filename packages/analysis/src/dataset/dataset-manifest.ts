import { createHash } from "node:crypto";
import { join } from "node:path";
import { z } from "zod";
import { planHash, planSchema } from "../collect/dataset-plan.ts";
import { writeFileAtomic } from "../files/file-atomic.ts";
import { columnFieldSchema, isReserved, standardColumns, type ColumnField } from "../shards/column-field.ts";
import { dtypeBytes, rowDtypes } from "../shards/row-dtype.ts";
import type { ShardColumns } from "../shards/shard-schema.ts";

export const manifestName = "dataset.json";
export const datasetSchemaVersion = 2;
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

/** A file of the folder beside the shards. */
const attachmentSchema = shardEntrySchema.omit({ examples: true });

/** What a dataset was made of. */
export const originSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("collected"), plan: planSchema }),
  z.object({
    kind: z.literal("derived"),
    /** In words, such as `merge` or `filter truth = true`. */
    how: z.string().min(1),
    /** Content hashes of the datasets, or hashes of the files, that it was made of. */
    from: z.array(sha256),
  }),
]);
export type DatasetOrigin = z.infer<typeof originSchema>;

export const chatTemplateSchema = z.object({
  /** Who rendered the messages. */
  source: z.enum(["server", "folder"]),
  /** Of the template's text, where it is known. */
  sha256: sha256.nullable(),
  /** What was passed to the template beside the messages. */
  kwargs: z.record(z.string(), z.json()).optional(),
});

export const manifestSchema = z
  .strictObject({
    format: z.literal("residua-activation-dataset"),
    schemaVersion: z.literal(datasetSchemaVersion),
    /** Id of the model, as sent; null where it is not known. */
    model: z.string().nullable(),
    /** The name that the answers carried: what really computed the rows. */
    checkpoint: z.string().nullable(),
    /** What the answers said of the server's version and settings (`system_fingerprint` of vLLM), where they did. */
    systemFingerprint: z.string().optional(),
    layerConvention: z.literal(layerConvention),
    hiddenSize: count,
    /** Ascending; −1 is the token embeddings. */
    layers: z.array(z.int().min(-1)).min(1),
    /** Which rows of a capture, as lens selects them; null where it is not known. */
    selection: z.looseObject({ kind: z.string() }).nullable(),
    dtype: z.enum(rowDtypes),
    /** Columns that are not layers, in order. */
    columns: z.array(columnFieldSchema).min(2),
    rows: count,
    /** Runs of rows of one example. */
    examples: count,
    shards: z.array(shardEntrySchema).min(1),
    origin: originSchema,
    contentHash: sha256,
    /** Examples that gave no rows, with their errors. */
    failures: attachmentSchema.optional(),
    chatTemplate: chatTemplateSchema.optional(),
    /** What lens's self-test found of the server, where it was run before the captures. */
    server: z.looseObject({ format: z.literal("residua-server-fingerprint"), hash: sha256 }).optional(),
    createdWith: z.string(),
  })
  .superRefine((manifest, context) => {
    const fault = (path: PropertyKey[], message: string): void =>
      context.addIssue({ code: "custom", path, message });
    const { layers, shards, origin } = manifest;
    if (layers.some((layer, i) => i > 0 && layer <= (layers[i - 1] as number)))
      fault(["layers"], "not ascending");
    for (const message of columnFaults(manifest.columns)) fault(["columns"], message);
    const files = [...shards, ...(manifest.failures ? [manifest.failures] : [])].map(({ file }) => file);
    if (new Set(files).size < files.length) fault(["shards"], "a file is listed twice");
    for (const what of ["rows", "examples"] as const) {
      const sum = shards.reduce((total, shard) => total + shard[what], 0);
      if (sum !== manifest[what]) fault([what], `${manifest[what]}, but the shards have ${sum}`);
    }
    const rowBytes = dtypeBytes(manifest.dtype) * layers.length * manifest.hiddenSize;
    const short = shards.findIndex(({ rows, bytes }) => rows * rowBytes > bytes);
    if (short >= 0) fault(["shards", short, "bytes"], `too few for rows of ${rowBytes} bytes each`);
    if (origin.kind === "collected" && origin.plan.hash !== planHash(origin.plan)) {
      fault(["origin", "plan", "hash"], "not the hash of the plan");
    }
    if (manifest.contentHash !== contentHash(origin, shards)) {
      fault(["contentHash"], "not the hash of the origin and the shards");
    }
  });
/** Content of `dataset.json`. */
export type DatasetManifest = z.infer<typeof manifestSchema>;

function columnFaults(columns: readonly ColumnField[]): string[] {
  const names = columns.map(({ name }) => name);
  const standard: Readonly<Record<string, ColumnField>> = standardColumns;
  const changed = columns.filter(({ name, role, type, nullable }) => {
    const known = Object.hasOwn(standard, name) ? standard[name] : undefined;
    if (role !== "standard") return isReserved(name);
    return known?.type !== type || (nullable && !known.nullable);
  });
  return [
    ...["example", "group"].filter((name) => !names.includes(name)).map((name) => `no column "${name}"`),
    ...changed.map(({ name }) => `column "${name}" is not what a column of that name is`),
    ...(new Set(names).size < names.length ? ["a column is listed twice"] : []),
  ];
}

/** SHA-256 of what a dataset was made of: a plan's own hash, or that of the line of compact JSON `[how, from]`. */
export function originHash(origin: DatasetOrigin): string {
  if (origin.kind === "collected") return origin.plan.hash;
  return createHash("sha256")
    .update(`${JSON.stringify([origin.how, origin.from])}\n`)
    .digest("hex");
}

/** SHA-256 of the lines `origin hash` and, for each shard, `sha256 rows examples`. */
export function contentHash(origin: DatasetOrigin, shards: readonly ShardEntry[]): string {
  const hash = createHash("sha256").update(`${originHash(origin)}\n`);
  for (const shard of shards) hash.update(`${shard.sha256} ${shard.rows} ${shard.examples}\n`);
  return hash.digest("hex");
}

/** What its shards look like. */
export function shardColumns({ columns, layers, hiddenSize, dtype }: DatasetManifest): ShardColumns {
  return { fields: columns, layers, hiddenSize, dtype };
}

export async function writeManifest(folder: string, manifest: DatasetManifest): Promise<void> {
  const text = `${JSON.stringify(manifest, null, 2)}\n`;
  await writeFileAtomic(join(folder, manifestName), [new TextEncoder().encode(text)]);
}
