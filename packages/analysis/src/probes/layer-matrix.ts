import { freemem } from "node:os";
import { layerOf } from "./checked-reads.ts";
import { probeMatrix, type ProbeMatrix } from "./probe-matrix.ts";
import { streamedMatrix, type StreamedSource } from "./streamed-matrix.ts";
import type { SweepDataset } from "./sweep-rows.ts";

/** A layer in memory is there as it came, centred, and on the backend. */
const copies = 3;
/** A layer below this is never read in blocks. */
const smallLayer = 2 ** 28;

/** What a layer's matrix is made from. */
export type LayerSource = Pick<SweepDataset, "layer" | "hiddenSize" | "rows"> & Partial<StreamedSource>;

/** Whether the layers of a source are read in blocks: when their copies would take more than half of what memory is free. */
export function isStreamed(source: LayerSource): source is LayerSource & StreamedSource {
  const bytes = 4 * source.rows * source.hiddenSize;
  return (
    source.layerBlocks !== undefined &&
    bytes > smallLayer &&
    copies * bytes > Math.min(freemem() / 2, mostBytes)
  );
}

/** Beyond this, layers are read in blocks however much memory is free. */
const mostBytes = 2 ** 32;

/** A layer's rows on the backend: in memory, or in blocks where they are too many. Throws ProbeError. */
export async function layerMatrix(source: LayerSource, layer: number): Promise<ProbeMatrix> {
  return isStreamed(source)
    ? await streamedMatrix(source, layer)
    : probeMatrix(await layerOf(source, layer), source.hiddenSize);
}
