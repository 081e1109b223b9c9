import type { ColumnValue } from "../shards/column-field.ts";
import type { RowBlock } from "../shards/row-block.ts";
import type { RowNumbers } from "../shards/row-dtype.ts";
import { checkBlockRows } from "./block-rows.ts";
import { markOwn } from "./checked-source.ts";
import { DatasetError } from "./dataset-error.ts";
import { missingColumn, missingLayer } from "./missing-column.ts";
import type { BlockOptions, RowRequest, RowSource } from "./row-source.ts";
import { widenNumbers } from "./widen-numbers.ts";

/** What a source has, without its rows. */
export type SourceShape = Pick<RowSource, "rows" | "layers" | "hiddenSize" | "dtype" | "fields">;

/** A source whose every read is one `pick`. `name` stands in errors. */
export function pickedSource(
  name: string,
  shape: SourceShape,
  pick: (request: RowRequest) => AsyncIterable<RowBlock>,
): RowSource & Required<Pick<RowSource, "pick">> {
  const { rows, layers, hiddenSize, dtype, fields } = shape;
  const columns = fields.map((field) => field.name);

  function checked(request: RowRequest): AsyncIterable<RowBlock> {
    const column = request.columns.find((asked) => !columns.includes(asked));
    if (column !== undefined) throw missingColumn(name, column, fields);
    const layer = request.layers.find((asked) => !layers.includes(asked));
    if (layer !== undefined) throw missingLayer(name, layer, layers);
    return pick(request);
  }

  /** One layer, put by `take` into one array. */
  async function whole<T>(
    layer: number,
    make: (length: number) => T,
    take: (numbers: RowNumbers, into: T, at: number) => void,
  ): Promise<T> {
    const blocks = checked({ columns: [], layers: [layer] });
    const into = allocate(name, () => make(rows * hiddenSize));
    let at = 0;
    for await (const block of blocks) {
      take(block.layers[0] as RowNumbers, into, at);
      at += block.rows * hiddenSize;
    }
    return into;
  }

  const source: ReturnType<typeof pickedSource> = {
    rows,
    layers,
    hiddenSize,
    dtype,
    fields,
    columns,
    pick: checked,
    async column(column) {
      const values: ColumnValue[] = [];
      for await (const block of checked({ columns: [column], layers: [] })) {
        for (const value of block.columns.get(column) ?? []) values.push(value);
      }
      return values;
    },
    layer: (layer) =>
      whole(
        layer,
        (length) => new Float32Array(length),
        (numbers, into, at) => widenNumbers(numbers, dtype, into, at),
      ),
    layerBits(layer) {
      if (dtype === "float32") return Promise.reject(notBits(name));
      return whole(
        layer,
        (length) => new Uint16Array(length),
        (numbers, into, at) => into.set(numbers, at),
      );
    },
    async *layerBlocks(layer, options = {}) {
      let first = 0;
      for await (const block of checked({ columns: [], layers: [layer], ...mostOf(options) })) {
        const [numbers] = block.layers;
        yield { first, rows: block.rows, numbers: ownNumbers(numbers as RowNumbers) };
        first += block.rows;
      }
    },
    async *blocks(options = {}) {
      yield* checked({ columns, layers, ...mostOf(options) });
    },
  };
  markOwn(source);
  return source;
}

function mostOf(options: BlockOptions): Pick<RowRequest, "most"> {
  checkBlockRows(options);
  return options.rows === undefined ? {} : { most: options.rows };
}

/** Numbers in memory of their own, as a layer block promises. */
function ownNumbers(numbers: RowNumbers): RowNumbers<ArrayBuffer> {
  const alone = numbers.buffer instanceof ArrayBuffer && numbers.byteLength === numbers.buffer.byteLength;
  return alone ? (numbers as RowNumbers<ArrayBuffer>) : numbers.slice();
}

export function notBits(path: string): DatasetError {
  return new DatasetError("not_16_bit", {
    path,
    found: "bits asked for of rows that are float32",
    expected: "rows of bfloat16 or float16",
    advice: "Read the values with layer(L) or layerBlocks(L).",
  });
}

export function allocate<T>(path: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw new DatasetError("layer_too_large", {
      path,
      found: `one layer does not fit into memory (${(error as Error).message})`,
      expected: "room for rows × hidden size numbers",
      advice: "Read it in blocks with layerBlocks(L), or use a machine with more memory.",
      cause: error,
    });
  }
}
