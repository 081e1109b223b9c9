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

/** Under this key the header stands in the metadata of a Parquet, Arrow or safetensors file. */
export const headerKey = "residua.rows";

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

/** What a manifest knows beside its rows. */
export type RowsAbout = Partial<
  Pick<DatasetManifest, "model" | "checkpoint" | "selection" | "server" | "chatTemplate">
>;

/** The header of a source's rows; of an opened dataset with what its manifest says. */
export function rowsHeader(source: RowSource, stored: RowsHeader["stored"]): RowsHeader {
  const { dtype, hiddenSize, layers, fields } = source;
  const { manifest } = source as Partial<Pick<ActivationDataset, "manifest">>;
  return {
    format: "residua-rows",
    version: headerVersion,
    layerConvention,
    dtype,
    stored,
    hiddenSize,
    layers: [...layers],
    columns: [...fields],
    ...(manifest && {
      ...aboutOf(manifest),
      origin: manifest.origin,
      contentHash: manifest.contentHash,
    }),
  };
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

/** Reads the header in a file's metadata; undefined where there is none. Throws DatasetError. */
export function parseHeader(metadata: ReadonlyMap<string, string>, path: string): RowsHeader | undefined {
  const text = metadata.get(headerKey);
  if (text === undefined) return undefined;
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
      found: `${headerKey} of version ${version}`,
      expected: `version ${headerVersion}`,
      advice: "It was written by another version of Residua: read it with that one.",
    });
  }
  const parsed = headerSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  throw new DatasetError("file_invalid", {
    path,
    found: `metadata ${headerKey} that cannot be read: ${z.prettifyError(parsed.error).replaceAll(/\s+/g, " ")}`,
    expected: "the header as it was written",
    advice: "Remove that metadata and say what the columns are, or write the file again.",
  });
}
