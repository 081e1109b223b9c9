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
import { headerKey, rowsHeader } from "./rows-header.ts";

/** How 16-bit numbers stand in a table: as float32, which every tool reads and which holds them exactly, or as bits. */
export type TableNumbers = "float32" | "bits";

export interface TableForm {
  numbers: TableNumbers;
  /** Rows of a batch at most. Default: as many as come to 64 MiB. */
  batchRows?: number;
}

const batchBytes = 64 << 20;

/** The rows of a source as Arrow batches for other tools; of a source without rows one empty batch. */
export async function* tableBatches(source: RowSource, form: TableForm): AsyncGenerator<RecordBatch> {
  const { layers, hiddenSize, fields } = source;
  const bits = form.numbers === "bits" && source.dtype !== "float32";
  // Bits of either type stand as uint16: Parquet's own float16 is misread by some tools (J4).
  const stored = bits ? "bfloat16" : "float32";
  const schema = tableSchema(source, bits);
  const rowBytes = (bits ? 2 : 4) * hiddenSize * layers.length;
  const most = form.batchRows ?? Math.max(1, Math.floor(batchBytes / Math.max(1, rowBytes)));
  const batchOf = ({ rows, columns, layers: numbers }: RowBlock): RecordBatch => {
    const children = [
      ...fields.map(
        ({ name, type }) =>
          vectorFromArray(columns.get(name) as ColumnValue[], arrowType(type)).data[0] as Data,
      ),
      ...numbers.map((layer) => {
        const values = bits ? layer : asFloat32(layer, source);
        const child = new Data(itemType(stored), 0, values.length, 0, { [BufferType.DATA]: values });
        return makeData({ type: rowListType(stored, hiddenSize), length: rows, nullCount: 0, child });
      }),
    ];
    return new RecordBatch(
      schema,
      makeData({ type: new Struct(schema.fields), length: rows, nullCount: 0, children }),
    );
  };
  let none = true;
  for await (const block of source.blocks({ rows: most })) {
    none = false;
    yield batchOf(block);
  }
  if (none) {
    const columns = new Map(fields.map(({ name }) => [name, []]));
    yield batchOf({ rows: 0, columns, layers: layers.map(() => new Uint16Array(0)) });
  }
}

function tableSchema(source: RowSource, bits: boolean): Schema {
  const { layers, hiddenSize, dtype, fields } = source;
  const list = rowListType(bits ? "bfloat16" : "float32", hiddenSize);
  const columns: Field<DataType>[] = [
    ...fields.map(({ name, type, nullable }) => new Field(name, arrowType(type), nullable)),
    ...layers.map((layer) => new Field(layerColumn(layer), list, false, new Map([["dtype", dtype]]))),
  ];
  const header = rowsHeader(source, bits ? "bits" : "float32");
  return new Schema(columns, new Map([[headerKey, JSON.stringify(header)]]));
}

function asFloat32(layer: RowNumbers, { dtype }: RowSource): Float32Array {
  if (layer instanceof Float32Array) return layer;
  const values = new Float32Array(layer.length);
  widenNumbers(layer, dtype, values);
  return values;
}
