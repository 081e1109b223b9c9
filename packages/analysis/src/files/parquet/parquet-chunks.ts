import { DataType, makeData, RecordBatch, Schema, Struct, Table, tableToIPC, type Data } from "apache-arrow";
import type { WriterProperties } from "parquet-wasm/node";
import {
  encodeFooter,
  joinedGroup,
  magic,
  parseFooter,
  withMetadata,
  type ParquetFooter,
} from "./parquet-footer.ts";
import { withParquet, type ParquetModule } from "./parquet-module.ts";
import type { ThriftStruct } from "./thrift.ts";

export const parquetCompressions = ["zstd", "snappy", "lz4", "none"] as const;
export type ParquetCompression = (typeof parquetCompressions)[number];

/** What a file says of its writer; those of the writer before had no hashes of their rows. */
export const hashingCreator = "@residua/analysis with hashes, by parquet-wasm";

export interface ParquetForm {
  compression: ParquetCompression;
  /** More of the file's metadata, which may be known only when all batches are written. */
  metadata?: () => ReadonlyMap<string, string>;
}

/**
 * The bytes of a Parquet file, one row group a batch, with one row group in memory. The module counts a file's bytes in 32
 * bits, so each row group is packed as a file of its own and their footers are made into one. Lists of float32 are packed
 * apart from the other columns, with the bytes of their numbers apart (BYTE_STREAM_SPLIT), which packs better: the module sets
 * an encoding for all nested columns or for none, and some readers know this one of floats only. There must be one batch at least.
 */
export async function* parquetChunks(
  batches: AsyncIterable<RecordBatch> | Iterable<RecordBatch>,
  { compression, metadata }: ParquetForm,
): AsyncGenerator<Uint8Array> {
  yield magic;
  let at = magic.length;
  let whole: ParquetFooter | undefined;
  const groups: ThriftStruct[] = [];
  for await (const batch of batches) {
    whole ??= packTable(new Table(batch.schema), { compression, split: false }).footer;
    if (batch.numRows === 0) continue;
    const parts: { base: number; footer: ParquetFooter }[] = [];
    for (const { split, names } of packedTogether(batch)) {
      const { bytes, footer } = packTable(columnsOf(batch, names), { compression, split });
      const end = Math.max(
        ...footer.groups.flatMap(({ chunks }) => chunks.map((chunk) => chunk.begin + chunk.length)),
      );
      parts.push({ base: at - magic.length, footer });
      yield bytes.subarray(magic.length, end);
      at += end - magic.length;
    }
    groups.push(joinedGroup([...whole.schema.keys()], parts));
  }
  yield encodeFooter(withMetadata(whole as ParquetFooter, metadata?.() ?? new Map()), groups);
}

/** Lists of float32, and the rest. */
function packedTogether({ schema }: RecordBatch): { split: boolean; names: string[] }[] {
  const isSplit = (type: DataType): boolean =>
    (DataType.isList(type) || DataType.isFixedSizeList(type)) && DataType.isFloat(type.children[0]?.type);
  return [false, true]
    .map((split) => ({
      split,
      names: schema.fields.filter(({ type }) => isSplit(type as DataType) === split).map(({ name }) => name),
    }))
    .filter(({ names }) => names.length > 0);
}

interface Packing {
  compression: ParquetCompression;
  /** Every column is a list of floats, whose bytes are laid apart. */
  split: boolean;
}

/** Some columns of a batch; its own `select` loses those after a gap. */
function columnsOf({ schema, data, numRows }: RecordBatch, names: readonly string[]): Table {
  const chosen = schema.fields.flatMap((field, i) =>
    names.includes(field.name) ? [{ field, child: data.children[i] as Data }] : [],
  );
  const part = new Schema(
    chosen.map(({ field }) => field),
    schema.metadata,
  );
  const children = chosen.map(({ child }) => child);
  const struct = makeData({ type: new Struct(part.fields), length: numRows, nullCount: 0, children });
  return new Table([new RecordBatch(part, struct)]);
}

function packTable(table: Table, packing: Packing): { bytes: Uint8Array; footer: ParquetFooter } {
  const ipc = tableToIPC(table, "stream");
  const bytes = withParquet((parquet) =>
    parquet.writeParquet(parquet.Table.fromIPCStream(ipc), propertiesOf(parquet, table, packing)),
  );
  const footerBytes = new DataView(bytes.buffer, bytes.byteOffset + bytes.length - 8).getUint32(0, true);
  const dataEnd = bytes.length - 8 - footerBytes;
  return { bytes, footer: parseFooter(bytes.subarray(dataEnd, -8), dataEnd) };
}

function propertiesOf(
  parquet: ParquetModule,
  { schema, numRows }: Table,
  { compression, split }: Packing,
): WriterProperties {
  const codec = { zstd: "ZSTD", snappy: "SNAPPY", lz4: "LZ4_RAW", none: "UNCOMPRESSED" } as const;
  let builder = new parquet.WriterPropertiesBuilder()
    .setCompression(parquet.Compression[codec[compression]])
    .setCreatedBy(hashingCreator)
    .setKeyValueMetadata(new Map(schema.metadata))
    .setMaxRowGroupSize(Math.max(1, numRows));
  if (split) builder = builder.setDictionaryEnabled(false).setEncoding(parquet.Encoding.BYTE_STREAM_SPLIT);
  return builder.build();
}
