import {
  BufferType,
  Data,
  makeData,
  RecordBatch,
  RecordBatchFileWriter,
  Struct,
  vectorFromArray,
  type Schema,
} from "apache-arrow";
import { writeFileAtomic, type WrittenFile } from "../files/file-atomic.ts";
import type { ColumnValue } from "./column-field.ts";
import { joinBlocks, sliceBlock, type RowBlock } from "./row-block.ts";
import { dtypeBytes, itemType, rowListType, type RowNumbers } from "./row-dtype.ts";
import { arrowType, shardSchema, type ShardColumns, type ShardIdentity } from "./shard-schema.ts";

export interface ShardContent {
  columns: ShardColumns;
  identity: ShardIdentity;
  /** In order, with at least one row in all. */
  blocks: readonly RowBlock[];
}

/** Arrow's offsets inside a batch are 32-bit and other readers stop at 2 GiB: batches stay far below. */
export const batchBytes = 64 << 20;

/** Writes one shard as an Arrow IPC file, atomically. The layers' buffers go to disk as they are. */
export async function writeShard(path: string, content: ShardContent): Promise<WrittenFile> {
  const schema = shardSchema(content.columns, content.identity);
  const writer = new RecordBatchFileWriter();
  for (const batch of shardBatches(schema, content)) writer.write(batch);
  writer.finish();
  return writeFileAtomic(path, writer);
}

function shardBatches(schema: Schema, { columns, blocks }: ShardContent): RecordBatch[] {
  const whole = joinBlocks(blocks, columns);
  const rowBytes = dtypeBytes(columns.dtype) * columns.hiddenSize * columns.layers.length;
  const most = Math.max(1, Math.floor(batchBytes / rowBytes));
  const batches: RecordBatch[] = [];
  for (let from = 0; from < whole.rows; from += most) {
    const part = whole.rows <= most ? whole : sliceBlock(whole, from, Math.min(whole.rows, from + most));
    const children = [
      ...columns.fields.map(
        ({ name, type }) =>
          vectorFromArray(part.columns.get(name) as ColumnValue[], arrowType(type)).data[0] as Data,
      ),
      ...part.layers.map((layer) => layerData(layer, columns)),
    ];
    const struct = makeData({ type: new Struct(schema.fields), length: part.rows, nullCount: 0, children });
    batches.push(new RecordBatch(schema, struct));
  }
  return batches;
}

function layerData(numbers: RowNumbers, { dtype, hiddenSize }: ShardColumns): Data {
  const type = rowListType(dtype, hiddenSize);
  const child = new Data(itemType(dtype), 0, numbers.length, 0, { [BufferType.DATA]: numbers });
  return makeData({ type, length: numbers.length / hiddenSize, nullCount: 0, child });
}
