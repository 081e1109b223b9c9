import {
  makeData,
  RecordBatch,
  RecordBatchFileWriter,
  Struct,
  Uint16,
  vectorFromArray,
  type Data,
  type DataType,
  type FixedSizeList,
  type Schema,
} from "apache-arrow";
import type { CheckedExample } from "../examples/example.ts";
import { writeFileAtomic, type WrittenFile } from "../files/file-atomic.ts";
import { joinBits, type ExampleRows } from "./shard-rows.ts";
import {
  arrowType,
  columnSpecs,
  shardSchema,
  type ShardColumns,
  type ShardIdentity,
} from "./shard-schema.ts";

export interface ShardContent {
  columns: ShardColumns;
  identity: ShardIdentity;
  /** All examples of the dataset; `parts` point into it. */
  examples: readonly CheckedExample[];
  /** In order, with at least one row in all. */
  parts: readonly ExampleRows[];
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

function shardBatches(schema: Schema, { columns, examples, parts }: ShardContent): RecordBatch[] {
  const { layers, hiddenSize } = columns;
  const cells = cellsOf(columns, examples, parts);
  const rows = parts.reduce((sum, { positions }) => sum + positions.length, 0);
  const bits = layers.map((_, i) => joinBits(parts, i, rows * hiddenSize));
  const rowsPerBatch = Math.max(1, Math.floor(batchBytes / (2 * hiddenSize * layers.length)));
  const batches: RecordBatch[] = [];
  for (let from = 0; from < rows; from += rowsPerBatch) {
    const to = Math.min(rows, from + rowsPerBatch);
    const children = [
      ...cells.map(({ type, values }) => scalarData(type, values.slice(from, to))),
      ...bits.map((layer) => layerData(layer.subarray(from * hiddenSize, to * hiddenSize), hiddenSize)),
    ];
    const struct = new Struct(schema.fields);
    batches.push(
      new RecordBatch(schema, makeData({ type: struct, length: to - from, nullCount: 0, children })),
    );
  }
  return batches;
}

type Cell = string | number | boolean | null;

/** Values of every column that is not a layer, in the order of the schema. */
function cellsOf(
  columns: ShardColumns,
  examples: readonly CheckedExample[],
  parts: readonly ExampleRows[],
): { type: DataType; values: Cell[] }[] {
  return columnSpecs(columns)
    .filter(({ kind }) => kind !== "layer")
    .map(({ name, kind }) => ({
      type: arrowType(kind, columns.hiddenSize),
      values: parts.flatMap((part) => cellsOfPart(name, part, examples[part.index] as CheckedExample)),
    }));
}

function cellsOfPart(column: string, part: ExampleRows, example: CheckedExample): Cell[] {
  const each = (value: Cell): Cell[] => part.positions.map(() => value);
  switch (column) {
    case "example":
      return each(example.id);
    case "group":
    case "split":
      return each(example[column]);
    case "position":
      return part.positions;
    case "token_id":
      return part.tokenIds;
    case "token":
      return part.tokens;
    default:
      return each(example.labels[column] as Cell);
  }
}

function scalarData(type: DataType, values: Cell[]): Data {
  return vectorFromArray(values, type).data[0] as Data;
}

function layerData(bits: Uint16Array, hiddenSize: number): Data {
  const type = arrowType("layer", hiddenSize) as FixedSizeList;
  const child = makeData({ type: new Uint16(), length: bits.length, nullCount: 0, data: bits });
  return makeData({ type, length: bits.length / hiddenSize, nullCount: 0, child });
}
