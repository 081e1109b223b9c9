import { DataType, RecordBatchStreamWriter, type RecordBatch } from "apache-arrow";
import type { WriterProperties } from "parquet-wasm/node";
import { encodeFooter, magic, movedGroup, parseFooter, type ParquetFooter } from "./parquet-footer.ts";
import { withParquet, type ParquetModule } from "./parquet-module.ts";
import type { ThriftStruct } from "./thrift.ts";

export const parquetCompressions = ["zstd", "snappy", "lz4", "none"] as const;
export type ParquetCompression = (typeof parquetCompressions)[number];

export interface ParquetChunksOptions {
  compression: ParquetCompression;
  /** Lay the bytes of numbers in lists apart, as packs rows of float32 better. */
  splitBytes: boolean;
}

/**
 * The bytes of a Parquet file, one row group a batch, with one row group in memory. The module counts a file's bytes in 32
 * bits, so each row group is packed as a file of its own and their footers are made into one. There must be one batch at least.
 */
export async function* parquetChunks(
  batches: AsyncIterable<RecordBatch> | Iterable<RecordBatch>,
  options: ParquetChunksOptions,
): AsyncGenerator<Uint8Array> {
  yield magic;
  let at = magic.length;
  let first: ParquetFooter | undefined;
  const groups: ThriftStruct[] = [];
  for await (const batch of batches) {
    const bytes = packBatch(batch, options);
    const footerBytes = new DataView(bytes.buffer, bytes.byteOffset + bytes.length - 8).getUint32(0, true);
    const dataEnd = bytes.length - 8 - footerBytes;
    const footer = parseFooter(bytes.subarray(dataEnd, -8), dataEnd);
    const end = Math.max(
      magic.length,
      ...footer.groups.flatMap(({ chunks }) => chunks.map((chunk) => chunk.begin + chunk.length)),
    );
    const base = at - magic.length;
    groups.push(...footer.groups.map((group) => movedGroup(group, ({ begin }) => begin + base)));
    yield bytes.subarray(magic.length, end);
    at += end - magic.length;
    first ??= footer;
  }
  yield encodeFooter(first as ParquetFooter, groups);
}

function packBatch(batch: RecordBatch, options: ParquetChunksOptions): Uint8Array {
  const ipc = RecordBatchStreamWriter.writeAll([batch]).toUint8Array(true);
  return withParquet((parquet) => {
    const properties = propertiesOf(parquet, batch, options);
    return parquet.writeParquet(parquet.Table.fromIPCStream(ipc), properties);
  });
}

function propertiesOf(
  parquet: ParquetModule,
  { schema, numRows }: RecordBatch,
  { compression, splitBytes }: ParquetChunksOptions,
): WriterProperties {
  const codec = { zstd: "ZSTD", snappy: "SNAPPY", lz4: "LZ4_RAW", none: "UNCOMPRESSED" } as const;
  let builder = new parquet.WriterPropertiesBuilder()
    .setCompression(parquet.Compression[codec[compression]])
    .setCreatedBy("@residua/analysis, by parquet-wasm")
    .setKeyValueMetadata(new Map(schema.metadata))
    .setMaxRowGroupSize(Math.max(1, numRows));
  if (splitBytes) {
    // A setting for one column reaches only columns that are not nested: the lists are reached by the setting for all.
    builder = builder.setDictionaryEnabled(false).setEncoding(parquet.Encoding.BYTE_STREAM_SPLIT);
    for (const { name, type } of schema.fields) {
      if (DataType.isList(type) || DataType.isFixedSizeList(type)) continue;
      builder = builder
        .setColumnDictionaryEnabled(name, true)
        .setColumnEncoding(name, parquet.Encoding.PLAIN);
    }
  }
  return builder.build();
}
