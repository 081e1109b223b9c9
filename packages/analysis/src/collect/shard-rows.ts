import type { OpenShard } from "../dataset/dataset-shard.ts";
import type { ColumnField, ColumnValue } from "../shards/column-field.ts";
import type { RowBlock } from "../shards/row-block.ts";
import type { RowNumbers } from "../shards/row-dtype.ts";
import type { ColumnLayout } from "../shards/shard-batch.ts";
import { readLayerRows } from "../shards/shard-columns.ts";
import { layerColumn, type ShardColumns } from "../shards/shard-schema.ts";
import { batchColumn, type StoredPart } from "./stored-runs.ts";

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
    const { fields, layers, hiddenSize, dtype } = this.#columns;
    const columns = new Map<string, ColumnValue[]>();
    for (const field of fields) columns.set(field.name, (await this.#column(batch, field)).slice(from, to));
    const numbers: RowNumbers[] = [];
    for (const layer of layers) {
      const where = this.#shard.layout.batches[batch]?.get(layerColumn(layer)) as ColumnLayout;
      const form = { hiddenSize, dtype };
      numbers.push(await this.#shard.read((file) => readLayerRows(file, where, form, { from, to })));
    }
    return { rows: to - from, columns, layers: numbers };
  }

  #column(batch: number, field: ColumnField): Promise<ColumnValue[]> {
    const key = `${batch} ${field.name}`;
    const read = this.#read.get(key) ?? batchColumn(this.#shard, batch, field);
    this.#read.set(key, read);
    return read;
  }
}
