import type { Schema } from "apache-arrow";
import { Footer } from "apache-arrow/ipc/metadata/file";
import type { FileHandle } from "node:fs/promises";
import { LayoutError, readRange } from "../files/file-read.ts";
import { batchLayout, check, columnKind, decoding, type ColumnLayout } from "./shard-batch.ts";
import { columnSpecs, type ShardColumns } from "./shard-schema.ts";
import { verifyMetadata } from "./shard-verify.ts";

export interface ShardLayout {
  rows: number;
  metadata: ReadonlyMap<string, string>;
  batches: ReadonlyMap<string, ColumnLayout>[];
}

const magic = "ARROW1";
/** Bytes at a file's end that are read at once; most footers are among them. */
const usualEnd = 16 << 10;
/** Of metadata; the footer of a thousand batches has some 30 KB. */
const longestFooter = 64 << 20;

/**
 * Reads the footer and the batches' headers of an Arrow IPC file and says where each column lies, so that a read takes
 * only the columns it wants. Everything in the file is checked against the file's size before it is used.
 */
export async function readLayout(
  file: FileHandle,
  size: number,
  columns: ShardColumns,
): Promise<ShardLayout> {
  const { schema, blocks } = await readFooter(file, size, (footer) => {
    checkSchema(footer.schema, columns);
    check(footer.numDictionaries === 0, "dictionary batches, which this format does not have");
  });
  const batches: Map<string, ColumnLayout>[] = [];
  let rows = 0;
  const total = blocks.reduce((sum, block) => sum + block.metaDataLength + block.bodyLength, 0);
  // Blocks that name the same bytes again and again would be read again and again.
  check(total <= size, `batches of ${total} bytes in a file of ${size}`);
  for (const { offset, metaDataLength, bodyLength } of blocks) {
    const whole = offset >= 8 && bodyLength >= 0 && offset + metaDataLength + bodyLength <= size;
    check(whole && metaDataLength >= 8 && metaDataLength <= longestFooter, "a batch outside the file");
    const header = await readRange(file, { offset, length: metaDataLength });
    const body = { offset: offset + metaDataLength, length: bodyLength };
    const batch = batchLayout(header, body, schema.fields, columns);
    rows += batch.length;
    batches.push(batch.columns);
  }
  return { rows, metadata: schema.metadata, batches };
}

interface Footing {
  schema: Schema;
  /** Where the batches are; the offsets are not checked yet. */
  blocks: { offset: number; metaDataLength: number; bodyLength: number }[];
  dictionaries: { offset: number }[];
  /** Of the footer. */
  bytes: Uint8Array;
}

/** Reads the footer of an Arrow IPC file. Throws LayoutError. */
export async function readFooter(
  file: FileHandle,
  size: number,
  checkFooter: (footer: Footer) => void = () => undefined,
): Promise<Footing> {
  check(size >= 24, "too few bytes for an Arrow file");
  const end = Math.min(size, usualEnd);
  const [head, last] = await Promise.all([
    readRange(file, { offset: 0, length: 6 }),
    readRange(file, { offset: size - end, length: end }),
  ]);
  const tail = last.subarray(end - 10);
  const text = new TextDecoder("latin1");
  check(text.decode(head) === magic, `no ${magic} at the beginning`);
  check(text.decode(tail.subarray(4)) === magic, `no ${magic} at the end (cut off?)`);
  const length = new DataView(last.buffer).getInt32(end - 10, true);
  check(length > 0 && length <= longestFooter && length <= size - 18, `a footer of ${length} bytes`);
  const bytes =
    length + 10 <= end
      ? last.slice(end - 10 - length, end - 10)
      : await readRange(file, { offset: size - 10 - length, length });
  verifyMetadata(bytes, "footer");
  return decoding("footer", () => {
    const footer = Footer.decode(bytes);
    checkFooter(footer);
    const [blocks, dictionaries] = [[...footer.recordBatches()], [...footer.dictionaryBatches()]];
    return { schema: footer.schema, blocks, dictionaries, bytes };
  });
}

function checkSchema(schema: Schema, columns: ShardColumns): void {
  const specs = columnSpecs(columns);
  for (const { name, kind } of specs) {
    const field = schema.fields.find((candidate) => candidate.name === name);
    if (field === undefined) throw new LayoutError(`no column "${name}"`);
    const found = columnKind(field, columns);
    const expected = kind === "layer" ? `${columns.hiddenSize} numbers of ${columns.dtype}` : kind;
    check(found === kind, `column "${name}" is ${String(field.type)}, not ${expected}`);
    if (kind === "layer") {
      const dtype = field.metadata.get("dtype") ?? "unset";
      const given = `column "${name}" has dtype ${dtype} in its metadata`;
      check(dtype === columns.dtype, `${given}, not ${columns.dtype}`);
    }
  }
  check(schema.fields.length === specs.length, `${schema.fields.length} columns, not ${specs.length}`);
}
