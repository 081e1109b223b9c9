import type { OpenShard } from "../dataset/dataset-shard.ts";
import { batchColumn, batchLayer, type ShardBatch } from "../dataset/each-batch.ts";
import type { ColumnField, ColumnValue } from "../shards/column-field.ts";
import type { RowBlock } from "../shards/row-block.ts";
import type { RowNumbers } from "../shards/row-dtype.ts";
import type { ShardColumns } from "../shards/shard-schema.ts";
import type { StoredPart } from "./stored-runs.ts";

/** Rows of an open shard, some at a time: the columns of a batch are read once, of the layers what is asked. */
export class ShardRows {
  readonly #shard: Pick<OpenShard, "layout" | "read">;
  readonly #columns: ShardColumns;
  readonly #read = new Map<string, Promise<ColumnValue[]>>();

  constructor(shard: Pick<OpenShard, "layout" | "read">, columns: ShardColumns) {
    this.#shard = shard;
    this.#columns = columns;
  }

  async rows({ batch, from, to }: StoredPart): Promise<RowBlock> {
    const { fields, layers } = this.#columns;
    const columns = new Map<string, ColumnValue[]>();
    for (const field of fields) columns.set(field.name, (await this.#column(batch, field)).slice(from, to));
    const numbers: RowNumbers[] = [];
    for (const layer of layers) {
      numbers.push(await batchLayer(this.#batch(batch), layer, this.#columns, { from, to }));
    }
    return { rows: to - from, columns, layers: numbers };
  }

  #batch(index: number): Pick<ShardBatch, "columns" | "read"> {
    const { layout, read } = this.#shard;
    return { columns: layout.batches[index] as ShardBatch["columns"], read };
  }

  #column(batch: number, field: ColumnField): Promise<ColumnValue[]> {
    const key = `${batch} ${field.name}`;
    const read = this.#read.get(key) ?? batchColumn(this.#batch(batch), field);
    this.#read.set(key, read);
    return read;
  }
}
