import type { SweepDataset } from "../../src/probes/sweep-rows.ts";
import { createRandom, type Random } from "../../src/statistics/random.ts";
import { arrayDataset } from "../probes/sweep-data.ts";

/** A small dataset of noise with what a test plants in it: one row a prompt, `perGroup` prompts a group. */
export function plantedRows(options: {
  groups: number;
  perGroup?: number;
  hiddenSize?: number;
  layers?: number;
  seed?: number;
  /** The label of a row, and the columns that belong to it. */
  row: (place: { row: number; group: number; random: Random }) => Record<string, unknown>;
  /** Added to the noise of a feature. */
  signal?: (place: {
    row: number;
    layer: number;
    feature: number;
    columns: Record<string, unknown>;
  }) => number;
}): SweepDataset {
  const { groups, perGroup = 2, hiddenSize = 8, layers = 1, seed = 7, signal = () => 0 } = options;
  const random = createRandom(seed, "planted rows");
  const count = groups * perGroup;
  const rows = Array.from({ length: count }, (_, row) => {
    const group = Math.floor(row / perGroup);
    return { example: `e${row}`, group: `g${group}`, ...options.row({ row, group, random }) };
  });
  const names = Object.keys(rows[0]!);
  return arrayDataset({
    hiddenSize,
    layers: Array.from({ length: layers }, (_, layer) =>
      Float32Array.from({ length: count * hiddenSize }, (_value, at) => {
        const [row, feature] = [Math.floor(at / hiddenSize), at % hiddenSize];
        return random.gaussian() + signal({ row, layer, feature, columns: rows[row]! });
      }),
    ),
    columns: Object.fromEntries(
      names.map((name) => [name, rows.map((row) => (row as Record<string, unknown>)[name])]),
    ),
  });
}
