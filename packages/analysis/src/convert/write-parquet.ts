import type { WrittenFile } from "../files/file-atomic.ts";
import { parquetChunks, type ParquetCompression } from "../files/parquet/parquet-chunks.ts";
import { checkedSource } from "../dataset/checked-source.ts";
import type { RowSource } from "../dataset/row-source.ts";
import { rowSums } from "./column-sums.ts";
import { headerMetadata, rowsHeader, sumsMetadata } from "./rows-header.ts";
import { storedAs, tableBatches, type TableNumbers } from "./table-batches.ts";
import { writeOnce, type WriteOptions } from "./write-once.ts";
import { checkOptions } from "../options/check-options.ts";
import { parquetWriting } from "./file-options.ts";

export interface ParquetOptions extends WriteOptions {
  /** Default: `float32`. */
  numbers?: TableNumbers;
  /** Default: `zstd`. */
  compression?: ParquetCompression;
  /** Rows of a row group at most. Default: as many as come to 64 MiB. */
  rowGroupRows?: number;
}

/**
 * Writes rows as one Parquet file, row group by row group, whole or not at all. Layers are lists of float32 of fixed size, in
 * which bfloat16 and float16 are exact; metadata say what they were, with a hash of each column, so that `readParquet` gives the same rows
 * or an error. Throws DatasetError.
 */
export async function writeParquet(
  given: RowSource,
  path: string,
  options: ParquetOptions = {},
): Promise<WrittenFile> {
  checkOptions(parquetWriting, options, "Parquet options");
  const { numbers = "float32", compression = "zstd", rowGroupRows, ...write } = options;
  const source = checkedSource(given);
  const sums = rowSums(source);
  const header = rowsHeader(source, storedAs(source, numbers));
  const batches = tableBatches(source, {
    numbers,
    metadata: headerMetadata(header),
    sums,
    ...(rowGroupRows !== undefined && { batchRows: rowGroupRows }),
  });
  const metadata = () => sumsMetadata(header, sums.digest());
  return writeOnce(path, parquetChunks(batches, { compression, metadata }), write);
}
