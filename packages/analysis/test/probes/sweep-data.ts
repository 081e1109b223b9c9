import type { SweepDataset } from "../../src/probes/sweep-rows.ts";

/** A dataset of arrays. */
export function arrayDataset(options: {
  hiddenSize: number;
  layers: Float32Array[];
  columns: Record<string, unknown[]>;
}): SweepDataset {
  const { hiddenSize, layers, columns } = options;
  return {
    rows: layers[0]!.length / hiddenSize,
    hiddenSize,
    layers: [...layers.keys()],
    columns: Object.keys(columns),
    column: (name) =>
      name in columns ? Promise.resolve(columns[name]!) : Promise.reject(new Error(`no column ${name}`)),
    layer: (layer) => Promise.resolve(layers[layer]!),
  };
}
