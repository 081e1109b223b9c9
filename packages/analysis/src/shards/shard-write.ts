import {
  BufferType,
  Data,
  makeData,
  RecordBatch,
  RecordBatchFileWriter,
  Struct,
  type Schema,
} from "apache-arrow";
import { columnInvalid } from "../dataset/column-invalid.ts";
import { writeFileAtomic, type WrittenFile } from "../files/file-atomic.ts";
import type { ColumnValue } from "./column-field.ts";
import { BatchTooLargeError, ColumnValueError, encodeColumn } from "./encode-column.ts";
import { blockBytes, joinBlocks, sliceBlock, type RowBlock } from "./row-block.ts";
import { dtypeBytes, itemType, rowListType, type RowNumbers } from "./row-dtype.ts";
import { shardSchema, type ShardColumns, type ShardIdentity } from "./shard-schema.ts";

export interface ShardContent {
  columns: ShardColumns;
  identity: ShardIdentity;
  /** In order, with at least one row in all. */
  blocks: readonly RowBlock[];
  /** Reads the SHA-256 of the file in another thread. */
  hash?: ((path: string) => Promise<string>) | undefined;
}

/** Arrow's offsets inside a batch are 32-bit and other readers stop at 2 GiB: batches stay far below. */
export const batchBytes = 64 << 20;

/** A block of this size is a batch of its own, which saves copying it together with others. */
const loneBytes = 8 << 20;

/** Writes one shard as an Arrow IPC file, atomically. The layers' buffers go to disk as they are. */
export async function writeShard(path: string, content: ShardContent): Promise<WrittenFile> {
  const schema = shardSchema(content.columns, content.identity);
  const writer = new RecordBatchFileWriter();
  try {
    for (const rows of batchesOf(content)) {
      for (const batch of encodeBatch(schema, rows, content.columns)) writer.write(batch);
    }
  } catch (error) {
    throw error instanceof ColumnValueError ? columnInvalid(path, error.message, error.expected) : error;
  }
  writer.finish();
  return writeFileAtomic(path, writer, content.hash);
}

/** Blocks of at most `batchBytes`: small ones joined, large ones cut, those between as they are. */
function* batchesOf({ columns, blocks }: ShardContent): Generator<RowBlock> {
  const rowBytes = dtypeBytes(columns.dtype) * columns.hiddenSize * columns.layers.length;
  const most = Math.max(1, Math.floor(batchBytes / rowBytes));
  let small: RowBlock[] = [];
  let rows = 0;
  const joined = (): RowBlock => {
    const whole = joinBlocks(small, columns);
    [small, rows] = [[], 0];
    return whole;
  };
  for (const block of blocks) {
    const lone = blockBytes(block) >= loneBytes;
    if (rows > 0 && (lone || rows + block.rows > most)) yield joined();
    if (lone) yield* cut(block, most);
    else {
      small.push(block);
      rows += block.rows;
    }
  }
  if (rows > 0) yield* cut(joined(), most);
}

function* cut(block: RowBlock, most: number): Generator<RowBlock> {
  for (let from = 0; from < block.rows; from += most) {
    yield sliceBlock(block, from, Math.min(block.rows, from + most));
  }
}

/** One batch, or several where the texts or lists of one would be too much. */
function* encodeBatch(schema: Schema, block: RowBlock, columns: ShardColumns): Generator<RecordBatch> {
  const { rows } = block;
  let children: Data[];
  try {
    children = columns.fields.map((field) => encodeColumn(field, valuesOf(block, field.name)));
  } catch (error) {
    if (!(error instanceof BatchTooLargeError)) throw error;
    for (const half of cut(block, rows >> 1)) yield* encodeBatch(schema, half, columns);
    return;
  }
  checkLayers(block, columns);
  children.push(...block.layers.map((layer) => layerData(layer, columns)));
  yield new RecordBatch(
    schema,
    makeData({ type: new Struct(schema.fields), length: rows, nullCount: 0, children }),
  );
}

function valuesOf({ columns, rows }: RowBlock, name: string): readonly ColumnValue[] {
  const values = columns.get(name);
  if (values?.length === rows) return values;
  throw new ColumnValueError(
    `column "${name}" with ${values?.length ?? "no"} values`,
    `one for each of ${rows} rows`,
  );
}

function checkLayers({ layers, rows }: RowBlock, columns: ShardColumns): void {
  const { dtype, hiddenSize } = columns;
  const fits = (numbers: RowNumbers): boolean =>
    numbers.length === rows * hiddenSize && numbers instanceof Float32Array === (dtype === "float32");
  if (layers.length === columns.layers.length && layers.every(fits)) return;
  throw new ColumnValueError(
    `${layers.length} layers of ${layers.map((numbers) => `${numbers.length} × ${numbers.BYTES_PER_ELEMENT} bytes`).join(", ")}`,
    `${columns.layers.length} of ${rows} × ${hiddenSize} numbers of ${dtype}`,
  );
}

function layerData(numbers: RowNumbers, { dtype, hiddenSize }: ShardColumns): Data {
  const type = rowListType(dtype, hiddenSize);
  const child = new Data(itemType(dtype), 0, numbers.length, 0, { [BufferType.DATA]: numbers });
  return makeData({ type, length: numbers.length / hiddenSize, nullCount: 0, child });
}
