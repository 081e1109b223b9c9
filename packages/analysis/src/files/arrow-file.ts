import { Message, Table, tableFromIPC, tableToIPC, type Schema } from "apache-arrow";
import { open, type FileHandle } from "node:fs/promises";
import { check, decoding } from "../shards/shard-batch.ts";
import { readFooter } from "../shards/shard-layout.ts";
import { verifyMetadata } from "../shards/shard-verify.ts";
import { LayoutError, readRange, type Region } from "./file-read.ts";

/** An Arrow IPC file or stream of any size; a batch is read whole, and only when it is asked for. */
export interface ArrowFile {
  readonly schema: Schema;
  /** Metadata of the schema that stands before the batches; empty where there is none. */
  readonly first: ReadonlyMap<string, string>;
  readonly groups: readonly { readonly rows: number }[];
  /** Whether this text is anywhere in the bytes of the schema. */
  readonly mentions: (text: string) => boolean;
  /** Rows `from` to `to` − 1 of some columns of one batch. Throws LayoutError. */
  read(group: number, what: { columns: readonly string[]; from?: number; to?: number }): Promise<Table>;
}

interface Found {
  /** The message of the schema. */
  schema: Uint8Array;
  /** The footer, or of a stream that message. */
  metadata: Uint8Array;
  /** Metadata of the schema before the batches, where it stands there. */
  first: ReadonlyMap<string, string>;
  dictionaries: Region[];
  batches: { message: Region; rows: number; dictionaries: number }[];
}

/** Of one message's metadata. */
const longestMetadata = 64 << 20;

/** Finds the batches of an Arrow IPC file or stream that is not compressed. The file is opened anew for each read. Throws LayoutError. */
export async function openArrow(path: string): Promise<ArrowFile> {
  const found = await withHandle(path, findMessages);
  const { schema } = decoding("schema", () => tableFromIPC(found.schema));
  return {
    schema,
    first: found.first,
    groups: found.batches,
    mentions: (text) => Buffer.from(found.metadata).includes(text),
    read(group, { columns, from = 0, to }) {
      const { message, dictionaries } = found.batches[group] as Found["batches"][number];
      const messages = [...found.dictionaries.slice(0, dictionaries), message];
      return withHandle(path, async (file) => {
        const table = await decode(file, found.schema, messages);
        return table.select([...columns]).slice(from, to);
      });
    },
  };
}

/** Reads the headers of all messages; their bodies are passed over. Throws LayoutError. */
async function findMessages(file: FileHandle): Promise<Found> {
  const { size } = await file.stat();
  check(size >= 16, "too few bytes for an Arrow file");
  const head = new TextDecoder("latin1").decode(await readRange(file, { offset: 0, length: 6 }));
  return head === "ARROW1" ? messagesOfFile(file, size) : messagesOfStream(file, size);
}

async function messagesOfFile(file: FileHandle, size: number): Promise<Found> {
  const { schema, blocks, dictionaries, bytes } = await readFooter(file, size);
  // Not every writer repeats the schema before the batches. The last 8 bytes are the end mark of a stream.
  const found: Found = {
    schema: tableToIPC(new Table(schema), "stream").subarray(0, -8),
    metadata: bytes,
    first: await firstMetadata(file, size),
    dictionaries: [],
    batches: [],
  };
  for (const { offset } of [...dictionaries, ...blocks]) {
    const message = await readMessage(file, offset, size);
    check(message !== undefined, "a batch outside the file");
    addMessage(found, message);
  }
  return found;
}

/** The schema need not be repeated there, and what stands in the footer counts. */
async function firstMetadata(file: FileHandle, size: number): Promise<ReadonlyMap<string, string>> {
  return readMessage(file, 8, size).then(metadataOf, () => new Map<string, string>());
}

function metadataOf(found: FoundMessage | undefined): ReadonlyMap<string, string> {
  return found?.message.isSchema() === true
    ? decoding("schema", () => (found.message.header() as Schema).metadata)
    : new Map<string, string>();
}

async function messagesOfStream(file: FileHandle, size: number): Promise<Found> {
  const first = await readMessage(file, 0, size);
  check(first?.message.isSchema() === true, "no Arrow schema");
  const schema = await readRange(file, first.region);
  const found: Found = {
    schema,
    metadata: schema,
    first: metadataOf(first),
    dictionaries: [],
    batches: [],
  };
  for (let at = first.region.length; at < size;) {
    const next = await readMessage(file, at, size);
    if (next === undefined) break;
    addMessage(found, next);
    at += next.region.length;
  }
  return found;
}

interface FoundMessage {
  message: Message;
  region: Region;
}

function addMessage(found: Found, { message, region }: FoundMessage): void {
  if (message.isDictionaryBatch()) found.dictionaries.push(region);
  if (!message.isRecordBatch()) return;
  const { compression, length } = message.header();
  check(compression === null, "compressed batches: write the file without compression, or as Parquet");
  found.batches.push({ message: region, rows: length, dictionaries: found.dictionaries.length });
}

/** The message at a place, its body passed over; undefined at the end mark. */
async function readMessage(file: FileHandle, at: number, size: number): Promise<FoundMessage | undefined> {
  check(at >= 0 && at + 8 <= size, "a batch outside the file (cut off?)");
  const prefix = new DataView((await readRange(file, { offset: at, length: 8 })).buffer);
  // Before Arrow 0.15 there was no mark before the length.
  const marked = prefix.getInt32(0, true) === -1;
  const length = prefix.getInt32(marked ? 4 : 0, true);
  const begin = at + (marked ? 8 : 4);
  if (length === 0) return undefined;
  check(
    length > 0 && length <= longestMetadata && begin + length <= size,
    "no Arrow messages, or a cut file",
  );
  const bytes = await readRange(file, { offset: begin, length });
  verifyMetadata(bytes, "message");
  const message = decoding("message", () => Message.decode(bytes));
  const end = begin + length + message.bodyLength;
  check(message.bodyLength >= 0 && end <= size, "a batch outside the file (cut off?)");
  return { message, region: { offset: at, length: end - at } };
}

async function decode(file: FileHandle, schema: Uint8Array, messages: readonly Region[]): Promise<Table> {
  const parts = [schema];
  for (const message of messages) parts.push(await readRange(file, message));
  // One buffer of its own, so that every column is aligned for its type (J9).
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  parts.reduce((at, part) => (bytes.set(part, at), at + part.length), 0);
  return decoding("message", () => tableFromIPC(bytes));
}

async function withHandle<T>(path: string, use: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path, "r");
  try {
    if ((await file.stat()).isFile()) return await use(file);
    throw new LayoutError("not a file");
  } finally {
    await file.close();
  }
}
