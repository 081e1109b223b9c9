import type { RowBlock } from "../../shards/row-block.ts";
import { makeNumbers, type RowNumbers } from "../../shards/row-dtype.ts";
import { blockRows, ranges } from "../block-rows.ts";
import type { RowRequest, RowSource } from "../row-source.ts";
import { bareBlocks, columnBlockRows, pickNumbers, pickValues, rowsWithin } from "./pick-block.ts";

/** Rows, columns and layers of any source, in blocks. A source that cannot pick is read whole, block by block. */
export async function* pickRows(source: RowSource, request: RowRequest): AsyncGenerator<RowBlock> {
  const { rows = undefined, columns, layers } = request;
  if (columns.length + layers.length === 0) yield* bareBlocks(rows?.length ?? source.rows, request.most);
  else if (source.pick) yield* source.pick(request);
  else yield* layers.length === 0 ? pickColumns(source, request) : pickFromBlocks(source, request);
}

/** Rows of a block: as asked for, or as many as fit in 64 MiB. */
export function mostRows(form: Pick<RowSource, "hiddenSize" | "dtype">, request: RowRequest): number {
  return blockRows(form, request, columnBlockRows);
}

async function* pickColumns(source: RowSource, request: RowRequest): AsyncGenerator<RowBlock> {
  const { rows, columns } = request;
  const read = await Promise.all(columns.map(async (name) => [name, await source.column(name)] as const));
  for (const { from, to } of ranges(rows?.length ?? source.rows, mostRows(source, request))) {
    const cut = ([name, values]: (typeof read)[number]) =>
      [name, rows ? pickValues(values, rows.subarray(from, to)) : values.slice(from, to)] as const;
    yield { rows: to - from, columns: new Map(read.map(cut)), layers: [] };
  }
}

async function* pickFromBlocks(source: RowSource, request: RowRequest): AsyncGenerator<RowBlock> {
  const { rows, columns, layers } = request;
  const { hiddenSize: width, dtype } = source;
  let first = 0;
  let at = 0;
  for await (const block of allBlocks(source, request)) {
    const wanted = rows && rowsWithin(rows, { from: at, first, count: block.rows });
    first += block.rows;
    if (wanted?.length === 0) continue;
    at += wanted?.length ?? 0;
    yield {
      rows: wanted?.length ?? block.rows,
      columns: new Map(columns.map((name) => [name, pickValues(block.columns.get(name) ?? [], wanted)])),
      layers: layers.map((layer) => {
        const numbers = block.layers[
          block.layers.length === 1 ? 0 : source.layers.indexOf(layer)
        ] as RowNumbers;
        if (!wanted) return numbers;
        return pickNumbers(numbers, wanted, makeNumbers(dtype, wanted.length * width), width);
      }),
    };
  }
}

async function* allBlocks(source: RowSource, request: RowRequest): AsyncGenerator<RowBlock> {
  const [layer, ...others] = request.layers;
  const most = { rows: mostRows(source, request) };
  if (layer === undefined || others.length > 0 || request.columns.length > 0) yield* source.blocks(most);
  else {
    for await (const { rows, numbers } of source.layerBlocks(layer, most)) {
      yield { rows, columns: new Map(), layers: [numbers] };
    }
  }
}
