import {
  BufferType,
  Data,
  Field,
  makeData,
  RecordBatch,
  Schema,
  Struct,
  vectorFromArray,
  type DataType,
} from "apache-arrow";
import type { RowSource } from "../dataset/row-source.ts";
import { widenNumbers } from "../dataset/widen-numbers.ts";
import type { ColumnValue } from "../shards/column-field.ts";
import type { RowBlock } from "../shards/row-block.ts";
import { itemType, rowListType, type RowNumbers } from "../shards/row-dtype.ts";
import { arrowType, layerColumn } from "../shards/shard-schema.ts";

/** How 16-bit numbers stand in a table: as float32, which every tool reads and which holds them exactly, or as bits. */
export type TableNumbers = "float32" | "bits";

export interface TableForm {
  numbers: TableNumbers;
  /** Rows of a batch at most. Default: as many as come to 64 MiB. */
  batchRows?: number;
  /** Leave the layers out. */
  only?: "columns";
  /** Metadata of the schema. */
  metadata: Map<string, string>;
  /** Is given each block before it becomes a batch. */
  sums: { add(block: RowBlock): void };
}

const batchBytes = 64 << 20;

/** The rows of a source as Arrow batches for other tools; of a source without rows one empty batch. */
export async function* tableBatches(source: RowSource, form: TableForm): AsyncGenerator<RecordBatch> {
  const bits = storedAs(source, form.numbers) === "bits";
  const rowBytes = (bits ? 2 : 4) * source.hiddenSize * source.layers.length;
  const rows = form.batchRows ?? Math.max(1, Math.floor(batchBytes / rowBytes));
  const toBatch = batchMaker(source, bits, form.only === "columns" ? [] : source.layers, form.metadata);
  let none = true;
  for await (const block of source.blocks({ rows })) {
    none = false;
    form.sums.add(block);
    yield toBatch(block);
  }
  if (none) yield toBatch(emptyBlock(source));
}

/** How the numbers of the source then stand in the table. */
export function storedAs({ dtype }: RowSource, numbers: TableNumbers): TableNumbers {
  return dtype === "float32" ? "float32" : numbers;
}

function batchMaker(
  source: RowSource,
  bits: boolean,
  layers: readonly number[],
  metadata: Map<string, string>,
): (block: RowBlock) => RecordBatch {
  const { fields, hiddenSize, dtype } = source;
  // Bits of either type stand as uint16: Parquet's own float16 is misread by some tools (J4).
  const stored = bits ? "bfloat16" : "float32";
  const list = rowListType(stored, hiddenSize);
  const columns: Field<DataType>[] = [
    ...fields.map(({ name, type, nullable }) => new Field(name, arrowType(type), nullable)),
    ...layers.map((layer) => new Field(layerColumn(layer), list, false, new Map([["dtype", dtype]]))),
  ];
  const schema = new Schema(columns, metadata);
  const layerData = (numbers: RowNumbers, length: number): Data => {
    const values = bits ? numbers : asFloat32(numbers, source);
    const child = new Data(itemType(stored), 0, values.length, 0, { [BufferType.DATA]: values });
    return makeData({ type: list, length, nullCount: 0, child });
  };
  return ({ rows, columns, layers: numbers }) => {
    const cells = fields.map(
      ({ name, type }) =>
        vectorFromArray(columns.get(name) as ColumnValue[], arrowType(type)).data[0] as Data,
    );
    const children = [...cells, ...layers.map((_, i) => layerData(numbers[i] as RowNumbers, rows))];
    const struct = makeData({ type: new Struct(schema.fields), length: rows, nullCount: 0, children });
    return new RecordBatch(schema, struct);
  };
}

function emptyBlock({ fields, layers }: RowSource): RowBlock {
  const columns = new Map(fields.map(({ name }) => [name, []]));
  return { rows: 0, columns, layers: layers.map(() => new Uint16Array(0)) };
}

function asFloat32(layer: RowNumbers, { dtype }: RowSource): Float32Array {
  if (layer instanceof Float32Array) return layer;
  const values = new Float32Array(layer.length);
  widenNumbers(layer, dtype, values);
  return values;
}
