import type { ColumnField, ColumnValue } from "../shards/column-field.ts";
import type { RowBlock } from "../shards/row-block.ts";
import type { RowDtype, RowNumbers } from "../shards/row-dtype.ts";

/** Consecutive rows of one layer, as stored. */
export interface LayerBlock {
  /** Index of the first row. */
  first: number;
  rows: number;
  /** `[rows, hiddenSize]`: bits of bfloat16 and float16, values of float32. Memory of its own. */
  numbers: RowNumbers<ArrayBuffer>;
}

export interface BlockOptions {
  /** Rows of a block at most. Default: as many as fit in 64 MiB. */
  rows?: number;
}

/** Some rows, columns and layers of a source. */
export interface RowRequest {
  /** Row numbers, ascending, each once. Default: all. */
  rows?: Uint32Array;
  /** Columns that are not layers, by name. */
  columns: readonly string[];
  layers: readonly number[];
  /** Rows of a block at most. Default: as many as fit in 64 MiB. */
  most?: number;
}

/**
 * Labelled rows of activations, wherever they are: an opened dataset, a lazy view of one, a converted file. Nothing is kept in
 * memory: each call reads what it returns, and only that.
 */
export interface RowSource {
  /** Number of rows: one a selected token, or one a pooled example. */
  readonly rows: number;
  /** Ascending; −1 is the token embeddings. */
  readonly layers: readonly number[];
  readonly hiddenSize: number;
  readonly dtype: RowDtype;
  /** Columns that are not layers. */
  readonly fields: readonly ColumnField[];
  /** Their names. */
  readonly columns: readonly string[];
  /** Values of one column that is not a layer, by row. Throws DatasetError `no_such_column`. */
  column(name: string): Promise<ColumnValue[]>;
  /** `[rows, hiddenSize]`, widened exactly; a buffer of its own, fit for `tf.tensor2d`. Throws DatasetError `no_such_layer`. */
  layer(layer: number): Promise<Float32Array<ArrayBuffer>>;
  /** The same as bits of a 16-bit type. Throws DatasetError `not_16_bit` for float32. */
  layerBits(layer: number): Promise<Uint16Array<ArrayBuffer>>;
  /** One layer in row blocks, so that it need not fit into memory. */
  layerBlocks(layer: number, options?: BlockOptions): AsyncIterable<LayerBlock>;
  /** All columns and layers in row blocks. */
  blocks(options?: BlockOptions): AsyncIterable<RowBlock>;
  /**
   * Only what is asked for, in blocks with no other column or layer, the layers in the order asked for. A source without it can
   * be viewed all the same, but a view then reads all its rows.
   */
  pick?(request: RowRequest): AsyncIterable<RowBlock>;
}
