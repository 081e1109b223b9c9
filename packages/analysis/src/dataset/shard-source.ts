import type { DatasetManifest } from "./dataset-manifest.ts";
import { fixedTarget } from "./layer-target.ts";
import { missingColumn, missingLayer } from "./missing-column.ts";
import { allocate, notBits, pickedSource } from "./picked-source.ts";
import { readWholeColumn } from "./read-column.ts";
import { readLayer, readLayerBits } from "./read-layer.ts";
import type { RowSource } from "./row-source.ts";
import type { ShardFiles } from "./shard-files.ts";
import { pickShardRows } from "./views/pick-shard-rows.ts";

/** The rows of a dataset's shards: a whole column or layer is read in several reads at a time. */
export function shardSource(folder: string, manifest: DatasetManifest, files: ShardFiles): RowSource {
  const { layers, hiddenSize, rows, dtype, columns: fields } = manifest;
  const checkLayer = (layer: number): void => {
    if (!layers.includes(layer)) throw missingLayer(folder, layer, layers);
  };
  return {
    ...pickedSource(folder, { rows, layers, hiddenSize, dtype, fields }, (request) =>
      pickShardRows(files, manifest, request),
    ),
    async column(name) {
      const field = fields.find((candidate) => candidate.name === name);
      if (field === undefined) throw missingColumn(folder, name, fields);
      return readWholeColumn(files, field);
    },
    async layer(layer) {
      checkLayer(layer);
      const values = allocate(folder, () => new Float32Array(rows * hiddenSize));
      await readLayer(files, layer, manifest, fixedTarget(values));
      return values;
    },
    async layerBits(layer) {
      checkLayer(layer);
      if (dtype === "float32") throw notBits(folder);
      const values = allocate(folder, () => new Uint16Array(rows * hiddenSize));
      await readLayerBits(files, layer, manifest, values);
      return values;
    },
  };
}
