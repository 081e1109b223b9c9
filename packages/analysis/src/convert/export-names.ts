import { join } from "node:path";

/** The columns that are not layers stand in a Parquet file beside the tensors. */
export function columnsFile(path: string): string {
  return path.endsWith(".safetensors")
    ? `${path.slice(0, -".safetensors".length)}.columns.parquet`
    : join(path, "columns.parquet");
}

/** Stands in a folder of .npy files while they are replaced. */
export const writingMark = ".residua-writing";
