import { z } from "zod";
import { parquetCompressions } from "../files/parquet/parquet-chunks.ts";
import { standardColumns } from "../shards/column-field.ts";
import { rowDtypes } from "../shards/row-dtype.ts";

/** What the options of each reader and writer of files may be: one that is not known would do nothing in silence. */

const flag = z.boolean().optional();
const rows = z.int().min(1).optional();
const numbers = z.enum(["float32", "bits"]).optional();
const columnName = z.string().min(1);

const writing = { replace: flag, signal: z.instanceof(AbortSignal).optional() };

export const safetensorsWriting = z.strictObject(writing);
export const npyWriting = z.strictObject({ ...writing, numbers });
export const arrowWriting = z.strictObject({ ...writing, numbers, batchRows: rows });
export const parquetWriting = z.strictObject({
  ...writing,
  numbers,
  compression: z.enum(parquetCompressions).optional(),
  rowGroupRows: rows,
});

const map = z.strictObject({
  ...Object.fromEntries(Object.keys(standardColumns).map((name) => [name, columnName.optional()])),
  layers: z.record(z.string(), columnName).optional(),
  labels: z.array(columnName).optional(),
  leaveOut: z.array(columnName).optional(),
});
const reading = {
  map: map.optional(),
  dtype: z.enum(rowDtypes).optional(),
  bits: flag,
  round: flag,
  unchecked: flag,
};

export const tableReading = z.strictObject(reading);
export const tensorReading = z.strictObject({
  ...reading,
  axis: z.array(z.int().min(-1)).optional(),
  columns: columnName.optional(),
});
