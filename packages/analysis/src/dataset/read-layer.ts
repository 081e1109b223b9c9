import { inFlight } from "../files/in-flight.ts";
import { readInto } from "../files/file-read.ts";
import { dtypeBytes, makeNumbers, type RowNumbers } from "../shards/row-dtype.ts";
import type { RowForm } from "../shards/shard-batch.ts";
import { layerColumn } from "../shards/shard-schema.ts";
import type { OpenShard } from "./dataset-shard.ts";
import { landing, type Landing, type LayerTarget } from "./layer-target.ts";
import type { ShardFiles } from "./shard-files.ts";

/** Numbers of one read: as float32 they still fit into a core's cache when they are widened. */
const pieceNumbers = 1 << 20;
/** Node has four threads for files; one is left for others. */
const readers = 3;

interface Piece {
  shard: OpenShard;
  /** Of its first byte in the file. */
  offset: number;
  /** Its first number's place in the layer. */
  at: number;
  /** In numbers. */
  length: number;
  release: () => Promise<void>;
}

/** Reads a whole layer as float32, in several reads at a time. Throws DatasetError. */
export async function readLayer(
  files: ShardFiles,
  layer: number,
  form: RowForm,
  target: LayerTarget,
): Promise<void> {
  const scratch: RowNumbers<ArrayBuffer>[] = [];
  await readPieces(files, layer, form, (piece, slot) =>
    landing(target, form.dtype, piece, () => (scratch[slot] ??= makeNumbers(form.dtype, pieceNumbers))),
  );
}

/** Reads a whole layer as it is stored. Throws DatasetError. */
export async function readLayerBits(
  files: ShardFiles,
  layer: number,
  form: RowForm,
  bits: Uint16Array<ArrayBuffer>,
): Promise<void> {
  await readPieces(files, layer, form, ({ at, length }) => ({
    bytes: new Uint8Array(bits.buffer, 2 * at, 2 * length),
    settle: () => undefined,
  }));
}

async function readPieces(
  files: ShardFiles,
  layer: number,
  form: RowForm,
  land: (piece: Piece, slot: number) => Landing,
): Promise<void> {
  await inFlight(piecesOf(files, layer, form), readers, async (piece, slot) => {
    try {
      const { bytes, settle } = land(piece, slot);
      await piece.shard.read((file) => readInto(file, bytes, piece.offset));
      settle();
    } finally {
      await piece.release();
    }
  });
}

/** A shard is closed when its last piece was read. */
async function* piecesOf(
  files: ShardFiles,
  layer: number,
  { hiddenSize, dtype }: RowForm,
): AsyncGenerator<Piece> {
  const size = dtypeBytes(dtype);
  for (let index = 0; index < files.count; index++) {
    const shard = await files.open(index);
    let users = 1;
    const release = async (): Promise<void> => {
      if (--users === 0) await shard.close();
    };
    try {
      let start = files.firstRow(index) * hiddenSize;
      for (const batch of shard.layout.batches) {
        const { rows = 0, values } = batch.get(layerColumn(layer)) ?? {};
        const total = rows * hiddenSize;
        for (let from = 0; values && from < total; from += pieceNumbers) {
          users++;
          const length = Math.min(pieceNumbers, total - from);
          yield { shard, offset: values.offset + size * from, at: start + from, length, release };
        }
        start += total;
      }
    } finally {
      await release();
    }
  }
}
