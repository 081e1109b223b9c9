import { RecordBatchFileWriter, Schema, type RecordBatch } from "apache-arrow";
import { setImmediate as turn } from "node:timers/promises";
import { checkedSource } from "../dataset/checked-source.ts";
import type { RowSource } from "../dataset/row-source.ts";
import type { WrittenFile } from "../files/file-atomic.ts";
import { rowSums } from "./column-sums.ts";
import { headerMetadata, rowsHeader, sumsMetadata } from "./rows-header.ts";
import { storedAs, tableBatches, type TableNumbers } from "./table-batches.ts";
import { writeOnce, type WriteOptions } from "./write-once.ts";
import { checkOptions } from "../options/check-options.ts";
import { arrowWriting } from "./file-options.ts";

export interface ArrowOptions extends WriteOptions {
  /** Default: `float32`. */
  numbers?: TableNumbers;
  /** Rows of a batch at most. Default: as many as come to 64 MiB. */
  batchRows?: number;
}

/** Writes rows as one Arrow IPC file, not compressed, with the columns and metadata of `writeParquet`. Throws DatasetError. */
export async function writeArrow(
  given: RowSource,
  path: string,
  options: ArrowOptions = {},
): Promise<WrittenFile> {
  checkOptions(arrowWriting, options, "Arrow options");
  const { numbers = "float32", batchRows, ...write } = options;
  const source = checkedSource(given);
  const sums = rowSums(source);
  const header = rowsHeader(source, storedAs(source, numbers));
  const metadata = headerMetadata(header);
  const rows = batchRows !== undefined && { batchRows };
  const batches = tableBatches(source, { numbers, sums, metadata, ...rows });
  return writeOnce(
    path,
    arrowChunks(batches, () => sumsMetadata(header, sums.digest())),
    write,
  );
}

/** Puts more metadata into the schema of the footer, which are known when all rows are written. */
class FooterWriter extends RecordBatchFileWriter {
  readonly #metadata: () => Map<string, string>;

  constructor(metadata: () => Map<string, string>) {
    super();
    this.#metadata = metadata;
  }

  protected override _writeFooter({ fields, metadata }: Schema): this {
    return super._writeFooter(new Schema(fields, new Map([...metadata, ...this.#metadata()])));
  }
}

/** The writer queues what it is given and never says wait: its queue is emptied after each batch. */
async function* arrowChunks(
  batches: AsyncIterable<RecordBatch>,
  metadata: () => Map<string, string>,
): AsyncGenerator<Uint8Array> {
  const writer = new FooterWriter(metadata);
  const chunks = writer[Symbol.asyncIterator]();
  let next = chunks.next();
  for await (const batch of batches) {
    writer.write(batch);
    for (;;) {
      const found = await Promise.race([next, turn(undefined)]);
      if (found === undefined || found.done === true) break;
      yield found.value;
      next = chunks.next();
    }
  }
  writer.finish();
  for (let found = await next; found.done !== true; found = await chunks.next()) yield found.value;
}
