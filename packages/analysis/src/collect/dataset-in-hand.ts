import { join } from "node:path";
import { DatasetError } from "../dataset/dataset-error.ts";
import type { CaptureFormat, Journal } from "./dataset-journal.ts";
import { withShard } from "../dataset/dataset-shard.ts";
import { inHandName } from "./dataset-writer.ts";
import type { CheckedExamples } from "../examples/example.ts";
import { readColumn, readLayerBlocks, scalarSpecs } from "../shards/shard-columns.ts";
import type { ExampleRows } from "../shards/shard-rows.ts";
import { layerColumn, readIdentity, type ShardColumns, type ShardIdentity } from "../shards/shard-schema.ts";

/** The rows that a clean stop parked, if they belong after the finished shards. */
export async function readInHand(
  folder: string,
  columns: ShardColumns & CaptureFormat,
  journal: Journal,
  { examples }: CheckedExamples,
): Promise<ExampleRows[]> {
  const { hiddenSize, layers } = columns;
  const parked = await ifWhole(() =>
    withShard(join(folder, inHandName), columns, async (file, layout) => {
      const identity = expectedIdentity(readIdentity(layout.metadata), journal, columns);
      if (identity === undefined) return undefined;
      const parts: ExampleRows[] = [];
      for (const batch of layout.batches) {
        const cells = new Map<string, unknown[]>();
        for (const spec of scalarSpecs(columns))
          cells.set(spec.name, await readColumn(file, spec, batch.get(spec.name)!));
        const bits: Uint16Array[] = [];
        for (const layer of layers)
          bits.push(await layerOf(file, batch.get(layerColumn(layer))!, hiddenSize));
        appendRows(parts, {
          ids: examples.map(({ id }) => id),
          first: identity.firstExample,
          cells,
          bits,
          hiddenSize,
        });
      }
      return parts.length === identity.examples ? parts : undefined;
    }),
  );
  return parked ?? [];
}

async function layerOf(
  file: Parameters<typeof readLayerBlocks>[0],
  layout: Parameters<typeof readLayerBlocks>[1],
  hiddenSize: number,
): Promise<Uint16Array> {
  const bits = new Uint16Array(layout.rows * hiddenSize);
  await readLayerBlocks(file, layout, hiddenSize, (block, at) => bits.set(block, at));
  return bits;
}

interface BatchRows {
  ids: readonly string[];
  /** Index of the example that the first part is of. */
  first: number;
  cells: ReadonlyMap<string, unknown[]>;
  bits: readonly Uint16Array[];
  hiddenSize: number;
}

/** Cuts the rows of a batch into those of each example; an example may go on from the batch before. */
function appendRows(parts: ExampleRows[], { ids, first, cells, bits, hiddenSize }: BatchRows): void {
  const names = cells.get("example") as string[];
  for (let from = 0; from < names.length;) {
    let to = from;
    while (to < names.length && names[to] === names[from]) to++;
    const range = <T>(column: string): T[] => cells.get(column)?.slice(from, to) as T[];
    const rows = {
      positions: range<number>("position"),
      tokenIds: range<number | null>("token_id"),
      tokens: range<string | null>("token"),
      bits: bits.map((layer) => layer.slice(from * hiddenSize, to * hiddenSize)),
    };
    const last = parts.at(-1);
    if (last !== undefined && ids[last.index] === names[from]) extend(last, rows);
    else parts.push({ index: first + parts.length, ...rows });
    from = to;
  }
}

function extend(part: ExampleRows, rows: Omit<ExampleRows, "index">): void {
  part.positions.push(...rows.positions);
  part.tokenIds.push(...rows.tokenIds);
  part.tokens.push(...rows.tokens);
  part.bits = part.bits.map((bits, i) => {
    const more = rows.bits[i] as Uint16Array;
    const joined = new Uint16Array(bits.length + more.length);
    joined.set(bits);
    joined.set(more, bits.length);
    return joined;
  });
}

/** What a shard says of itself, if it is the one that comes next. */
export function expectedIdentity(
  found: ShardIdentity | undefined,
  journal: Journal,
  format: CaptureFormat,
): ShardIdentity | undefined {
  const firstExample = journal.shards.reduce((sum, { examples }) => sum + examples, 0);
  const fits =
    found?.plan === journal.plan.hash &&
    found.shard === journal.shards.length &&
    found.firstExample === firstExample &&
    found.checkpoint === format.checkpoint;
  return fits ? found : undefined;
}

/** What is not whole is simply collected again: these files were never promised to anybody. */
export async function ifWhole<T>(read: () => Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof DatasetError) return undefined;
    throw error;
  }
}
