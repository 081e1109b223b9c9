import { z } from "zod";

const count = z.int().min(0);
const share = z.number().min(0).max(1);

const quantile = z.number();
/** Of n numbers; `sd` is the population's, quantiles interpolate linearly as NumPy's do. */
const summarySchema = z.object({
  count,
  mean: z.number(),
  sd: z.number().min(0),
  min: z.number(),
  quantiles: z.object({
    p01: quantile,
    p05: quantile,
    p25: quantile,
    p50: quantile,
    p75: quantile,
    p95: quantile,
    p99: quantile,
  }),
  max: z.number(),
});

/**
 * One layer. Rows with a number that is not finite are counted in `nonFinite` and left out of the rest.
 *
 * `outliers`: dimensions whose mean magnitude over rows is more than 6 times the median dimension's. A few dimensions dominate the
 * residual stream of trained transformers (Kovaleva et al. 2021, arXiv:2105.06990; Dettmers et al. 2022, arXiv:2208.07339, from
 * whose magnitude of 6 the factor is); they dominate norms, cosines and unstandardised probes too.
 * `massive`: single numbers above 100 and above 1 000 times the median magnitude of their row (Sun et al. 2024, arXiv:2402.17762);
 * they sit mostly on the first token and on delimiters.
 */
const layerHealthSchema = z.object({
  layer: z.int().min(-1),
  /** Euclidean norms of the rows; null when no row is finite. */
  norms: summarySchema.nullable(),
  nonFinite: z.object({ rows: count, nan: count, infinite: count }),
  /** Over dimensions, of each one's mean magnitude. */
  meanMagnitude: z.object({ median: z.number(), max: z.number() }).nullable(),
  outliers: z.object({
    count,
    /** The largest, at most 20; `ratio` to the median dimension, null where that is zero. */
    dimensions: z.array(
      z.object({ dimension: count, meanMagnitude: z.number(), ratio: z.number().nullable() }),
    ),
  }),
  massive: z.object({
    count,
    rows: count,
    /** Largest magnitude in the layer. */
    largest: z.number().nullable(),
    dimensions: z.array(z.object({ dimension: count, count })),
  }),
  /** Dimensions of one value in all rows (of two or more). */
  constant: z.object({ count, dimensions: z.array(count) }),
});
export type LayerHealth = z.infer<typeof layerHealthSchema>;

const labelValueSchema = z.object({
  value: z.union([z.string(), z.number(), z.boolean(), z.null()]),
  rows: count,
  examples: count,
});

const labelHealthSchema = z.object({
  name: z.string(),
  type: z.enum(["bool", "utf8", "float64", "int32", "int32[]"]),
  /** Distinct values, null not counted. */
  distinct: count,
  /** Rows without a value. */
  missing: count,
  /** The most frequent, at most 20. */
  values: z.array(labelValueSchema),
  /** The same for each split; rows without a split are under `""`. */
  splits: z.record(z.string(), z.array(labelValueSchema)),
  /** Of number labels. */
  numbers: summarySchema.nullable(),
});
export type LabelHealth = z.infer<typeof labelHealthSchema>;

export const descriptionSchemaVersion = 1;

/** What a dataset holds, as plain JSON. What cannot be known is null, with a reason where it is not plain. */
export const datasetDescriptionSchema = z.object({
  schemaVersion: z.literal(descriptionSchemaVersion),
  kind: z.literal("dataset-description"),
  rows: count,
  /** Distinct example ids. */
  examples: count,
  hiddenSize: count,
  dtype: z.enum(["bfloat16", "float16", "float32"]),
  groups: z.object({
    count,
    /** Every group is one example of the same name: no group was given. */
    isExample: z.boolean(),
    rows: summarySchema.nullable(),
    examples: summarySchema.nullable(),
  }),
  rowsPerExample: summarySchema.nullable(),
  /** Rows of each split; those without one are under `""`. */
  splits: z.record(z.string(), count),
  /** Token positions of the rows; `missing` counts pooled rows. */
  positions: z.object({ missing: count, summary: summarySchema.nullable() }),
  promptLengths: summarySchema.nullable(),
  /** Rows whose token is the beginning-of-text token. */
  bos: z.object({
    tokenId: z.int().nullable(),
    /** Where the id is from; of null the reason why there is none. */
    source: z.string(),
    rows: count,
    share: share.nullable(),
  }),
  labels: z.array(labelHealthSchema),
  /** Rows that equal an earlier row in every bit of every layer (by a hash of 53 bits). */
  repeatedRows: z.object({ rows: count, share: share.nullable() }),
  layers: z.array(layerHealthSchema),
});
export type DatasetDescription = z.infer<typeof datasetDescriptionSchema>;
