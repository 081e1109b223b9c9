import { Field, Schema, tableFromIPC, type DataType, type Table } from "apache-arrow";
import { open, type FileHandle } from "node:fs/promises";
import { durationColumns } from "./arrow-durations.ts";
import { LayoutError, readInto, readRange } from "../file-read.ts";
import {
  encodeFooter,
  magic,
  movedGroup,
  parseFooter,
  type ParquetFooter,
  type RowGroup,
} from "./parquet-footer.ts";
import { withParquet } from "./parquet-module.ts";

interface ParquetRead {
  /** Names of the top-level columns to read. */
  columns: readonly string[];
  /** Rows of the group. Default: all. */
  from?: number;
  to?: number;
}

/** A Parquet file of any size, of which only the columns and row groups are read that are asked for. */
export interface ParquetFile {
  readonly rows: number;
  readonly columns: readonly string[];
  /** Key-value metadata. */
  readonly metadata: ReadonlyMap<string, string>;
  /** The program that wrote the file, where it says so. */
  readonly createdBy: string | undefined;
  /** Whether this text is anywhere in the bytes of the footer. */
  readonly mentions: (text: string) => boolean;
  readonly groups: readonly RowGroup[];
  /**
   * Parquet's own types: no dictionaries, no large or fixed-size lists, whatever Arrow schema the writer left; but a column that by it
   * is of durations, or contains some, is one of durations, since Parquet has but whole numbers for them.
   */
  readonly schema: Schema;
  /** Some columns of one row group as an Arrow table of one batch or more. Throws LayoutError. */
  read(group: number, what: ParquetRead): Promise<Table>;
}

/** The module has 4 GiB for the packed and the unpacked bytes, and copies of them. */
const mostBytes = 2 ** 30;

/** Reads the footer of a Parquet file. The file is opened anew for each read. Throws LayoutError, and what the system throws. */
export async function openParquet(path: string): Promise<ParquetFile> {
  const { footer, footerBytes, size, changed } = await withHandle(path, readFooter);
  const names = [...footer.schema.keys()];
  const head = encodeFooter(footer, [], names);
  const { fields } = withParquet((parquet) =>
    tableFromIPC(parquet.readSchema(Buffer.concat([magic, head])).intoIPCStream()),
  ).schema;
  const left = footer.metadata.get("ARROW:schema");
  const durations = left === undefined ? new Map<string, never>() : durationColumns(left);
  const schema = new Schema(
    fields.map((field) => {
      const duration = durations.get(field.name);
      return duration === undefined ? field : new Field<DataType>(field.name, duration, field.nullable);
    }),
  );
  return {
    rows: footer.rows,
    columns: names,
    metadata: footer.metadata,
    createdBy: footer.createdBy,
    mentions: (text) => footerBytes.includes(text),
    groups: footer.groups,
    schema,
    read: (index, { columns, from = 0, to }) =>
      withHandle(path, async (handle) => {
        const now = await handle.stat();
        if (now.size !== size || now.mtimeMs !== changed)
          throw new LayoutError("a file that changed while it was read");
        const group = footer.groups[index] as RowGroup;
        const bytes = await groupFile(handle, footer, group, columns);
        return withParquet((parquet) => {
          const limit = (to ?? group.rows) - from;
          const options = { offset: from, limit, batchSize: Math.max(1, limit) };
          return tableFromIPC(parquet.readParquet(bytes, options).intoIPCStream());
        });
      }),
  };
}

async function readFooter(handle: FileHandle) {
  const { size, mtimeMs } = await handle.stat();
  if (size < 12) throw new LayoutError(`${size} bytes, too few for a Parquet file`);
  const [head, tail] = [
    await readRange(handle, { offset: 0, length: 4 }),
    await readRange(handle, { offset: size - 8, length: 8 }),
  ];
  const isMagic = (bytes: Uint8Array): boolean => magic.every((byte, i) => bytes[i] === byte);
  if (!isMagic(head)) throw new LayoutError("no PAR1 at its beginning: not a Parquet file");
  if (!isMagic(tail.subarray(4))) throw new LayoutError("no PAR1 at its end: not a whole Parquet file");
  const length = new DataView(tail.buffer).getUint32(0, true);
  const dataEnd = size - 8 - length;
  if (dataEnd < 4) throw new LayoutError(`a footer of ${length} bytes in a file of ${size}`);
  const footerBytes = Buffer.from((await readRange(handle, { offset: dataEnd, length })).buffer);
  return { footer: parseFooter(footerBytes, dataEnd), footerBytes, size, changed: mtimeMs };
}

/** A small file of one row group and some of its columns, as the module takes only whole files. */
async function groupFile(
  handle: FileHandle,
  footer: ParquetFooter,
  group: RowGroup,
  columns: readonly string[],
): Promise<Uint8Array> {
  const wanted = group.chunks.filter(({ column }) => columns.includes(column));
  const places = new Map<number, number>();
  let end = magic.length;
  for (const { begin, length } of wanted) {
    places.set(begin, end);
    end += length;
  }
  const unpacked = wanted.reduce((sum, chunk) => sum + chunk.unpacked, 0);
  if (Math.max(end, unpacked) > mostBytes) {
    throw new LayoutError(
      `a row group with ${unpacked} bytes in ${columns.map((name) => JSON.stringify(name)).join(", ")}, more than the ${mostBytes} that are read at once: write the file with smaller row groups`,
    );
  }
  const footerBytes = encodeFooter(footer, [movedGroup(group, ({ begin }) => places.get(begin))], columns);
  const bytes = new Uint8Array(end + footerBytes.length);
  bytes.set(magic);
  for (const { begin, length } of wanted) {
    const at = places.get(begin) as number;
    await readInto(handle, bytes.subarray(at, at + length), begin);
  }
  bytes.set(footerBytes, end);
  return bytes;
}

async function withHandle<T>(path: string, use: (handle: FileHandle) => Promise<T>): Promise<T> {
  const handle = await open(path, "r");
  try {
    return await use(handle);
  } finally {
    await handle.close();
  }
}
