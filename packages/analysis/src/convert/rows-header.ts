import { createHash } from "node:crypto";
import { z } from "zod";
import type { ActivationDataset } from "../dataset/dataset-open.ts";
import {
  chatTemplateSchema,
  layerConvention,
  originSchema,
  type DatasetManifest,
} from "../dataset/dataset-manifest.ts";
import { DatasetError } from "../dataset/dataset-error.ts";
import type { RowSource } from "../dataset/row-source.ts";
import { columnFieldSchema } from "../shards/column-field.ts";
import { rowDtypes } from "../shards/row-dtype.ts";
import type { RowSums } from "./column-sums.ts";
import type { TablePart } from "./table-file.ts";

/** Under this key the header stands in the metadata of a Parquet, Arrow or safetensors file. */
export const headerKey = "residua.rows";
/** Under this one the hashes of that header's text and of the columns. */
export const sumsKey = "residua.sums";

const headerVersion = 1;

const headerSchema = z.object({
  format: z.literal("residua-rows"),
  version: z.literal(headerVersion),
  layerConvention: z.literal(layerConvention),
  /** What the rows' numbers are, however they are stored. */
  dtype: z.enum(rowDtypes),
  /** How they are stored: as float32 that hold them exactly, as bits in unsigned 16-bit integers, or in their own type. */
  stored: z.enum(["float32", "bits", "own"]),
  hiddenSize: z.int().min(1),
  layers: z.array(z.int().min(-1)),
  /** Columns that are not layers, in order. */
  columns: z.array(columnFieldSchema),
  model: z.string().nullable().optional(),
  checkpoint: z.string().nullable().optional(),
  selection: z.looseObject({ kind: z.string() }).nullable().optional(),
  chatTemplate: chatTemplateSchema.optional(),
  server: z.looseObject({ format: z.literal("residua-server-fingerprint"), hash: z.string() }).optional(),
  origin: originSchema.optional(),
  contentHash: z.string().optional(),
});
/** What a converted file says of its rows, so that reading it gives the same dataset back. */
export type RowsHeader = z.infer<typeof headerSchema>;

const sha256 = z.string().regex(/^[0-9a-f]{64}$/, "a SHA-256 in hex");
const sumsSchema = z.object({
  version: z.literal(1),
  /** SHA-256 of the header's text. */
  header: sha256,
  rows: z.int().min(0),
  /** SHA-256 of the cells of each column, as in `rowsHash`, and of each layer. */
  columnHashes: z.array(sha256),
  layerHashes: z.array(sha256),
});

/** The header of a file, and the hashes with which its rows can be checked. */
export interface KnownRows {
  header: RowsHeader;
  sums: RowSums | undefined;
}

/** What a manifest knows beside its rows. */
export type RowsAbout = Partial<
  Pick<DatasetManifest, "model" | "checkpoint" | "selection" | "server" | "chatTemplate">
>;

/** The header of a source's rows; of an opened dataset, and of a converted file, with what is known beside them. */
export function rowsHeader(source: RowSource, stored: RowsHeader["stored"]): RowsHeader {
  const { dtype, hiddenSize, layers, fields } = source;
  const { manifest, about } = source as Partial<Pick<ActivationDataset, "manifest"> & { about: RowsAbout }>;
  return {
    format: "residua-rows",
    version: headerVersion,
    layerConvention,
    dtype,
    stored,
    hiddenSize,
    layers: [...layers],
    columns: [...fields],
    ...aboutOf(manifest ?? about ?? {}),
    ...(manifest && { origin: manifest.origin, contentHash: manifest.contentHash }),
  };
}

/** The header as metadata of a file, whose rows need not be known yet. */
export function headerMetadata(header: RowsHeader): Map<string, string> {
  return new Map([[headerKey, JSON.stringify(header)]]);
}

/** The hashes of header and rows as more metadata of a file. */
export function sumsMetadata(header: RowsHeader, sums: RowSums): Map<string, string> {
  const text = JSON.stringify({ version: 1, header: sumOf(JSON.stringify(header)), ...sums });
  return new Map([[sumsKey, text]]);
}

function sumOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** The part of a header that a new dataset's manifest takes over. */
export function aboutOf(known: { [K in keyof RowsAbout]: RowsAbout[K] | undefined }): RowsAbout {
  const { model, checkpoint, selection, server, chatTemplate } = known;
  return {
    ...(model !== undefined && { model }),
    ...(checkpoint !== undefined && { checkpoint }),
    ...(selection !== undefined && { selection }),
    ...(server !== undefined && { server }),
    ...(chatTemplate !== undefined && { chatTemplate }),
  };
}

/**
 * Reads the header in a file's metadata; undefined where there is none. A header that is damaged, or cannot be found any more, is refused:
 * its rows would be read as another tool's. Throws DatasetError.
 */
export function parseHeader({
  metadata,
  path,
  mentions,
  hashed,
}: Omit<TablePart, "rows">): KnownRows | undefined {
  const text = metadata.get(headerKey);
  const summed = hashed === "no" ? undefined : metadata.get(sumsKey);
  const lost = text === undefined ? headerKey : summed === undefined && hashed !== "no" ? sumsKey : undefined;
  if (lost !== undefined && (mentions(lost) || (text !== undefined && hashed === "yes"))) {
    throw unreadable(path, lost, "another name than was written");
  }
  if (text === undefined) {
    if (summed !== undefined) throw unreadable(path, headerKey, "another name than was written");
    return undefined;
  }
  const sums = summed === undefined ? undefined : parsed(path, sumsKey, summed, sumsSchema);
  if (sums !== undefined && sums.header !== sumOf(text)) {
    throw unreadable(path, headerKey, "another SHA-256 than was written");
  }
  const header = parsed(path, headerKey, text, headerSchema);
  const fits =
    sums === undefined ||
    (sums.columnHashes.length === header.columns.length && sums.layerHashes.length === header.layers.length);
  if (!fits) throw unreadable(path, sumsKey, "not a hash for each column");
  return { header, sums };
}

function parsed<T>(path: string, key: string, text: string, schema: z.ZodType<T>): T {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    json = undefined;
  }
  const version = (json as { version?: unknown } | null | undefined)?.version;
  if (typeof version === "number" && version !== headerVersion) {
    throw new DatasetError("schema_version_unknown", {
      path,
      found: `${key} of version ${version}`,
      expected: `version ${headerVersion}`,
      advice: "It was written by another version of Residua: read it with that one.",
    });
  }
  const found = schema.safeParse(json);
  if (found.success) return found.data;
  throw unreadable(path, key, `a fault: ${z.prettifyError(found.error).replaceAll(/\s+/g, " ")}`);
}

function unreadable(path: string, key: string, what: string): DatasetError {
  return new DatasetError("file_invalid", {
    path,
    found: `metadata ${key} with ${what}`,
    expected: "the metadata as they were written",
    advice:
      "The file is damaged: restore it from a copy, or export it again. Without its metadata residua.* it is read as a file of another tool.",
  });
}
