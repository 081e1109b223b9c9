import type { RowSource } from "../row-source.ts";
import { widenNumbers } from "../widen-numbers.ts";
import type { LayerHealth } from "./description-schema.ts";
import { sortedQuantile, summarise } from "./quantiles.ts";
import type { RowHashes } from "./row-hashes.ts";

/** A dimension stands out when its mean magnitude is this many times the median dimension's. */
const outlierFactor = 6;
/** Sun et al.: larger than this, and than 1 000 times the median magnitude of its row. */
const massive = { magnitude: 100, factor: 1000 };
/** How many dimensions a list names at most. */
const mostListed = 20;

/**
 * What one layer's numbers are like: each row block is read once, and kept is a number a row and a few a dimension. Rows with a
 * number that is not finite are counted and left out of everything else.
 */
export async function scanLayer(source: RowSource, layer: number, hashes: RowHashes): Promise<LayerHealth> {
  const { hiddenSize: width, dtype, rows } = source;
  const norms = new Float64Array(rows);
  const sums = new Float64Array(width);
  const low = new Float32Array(width).fill(Number.POSITIVE_INFINITY);
  const high = new Float32Array(width).fill(Number.NEGATIVE_INFINITY);
  const magnitudes = new Float32Array(width);
  const counts = { nan: 0, infinite: 0, rows: 0, massive: 0, massiveRows: 0 };
  const massiveOf = new Uint32Array(width);
  let largest = 0;
  let finite = 0;

  const countMassive = (row: Float32Array): void => {
    row.forEach((value, j) => (magnitudes[j] = Math.abs(value)));
    magnitudes.sort();
    const least = Math.max(massive.magnitude, massive.factor * sortedQuantile(magnitudes, 0.5));
    let found = 0;
    row.forEach((value, j) => {
      if (Math.abs(value) <= least) return;
      found++;
      massiveOf[j]! += 1;
    });
    counts.massive += found;
    if (found > 0) counts.massiveRows++;
  };

  const visit = (row: Float32Array): void => {
    let squares = 0;
    for (let j = 0; j < width; j++) squares += row[j]! * row[j]!;
    // A square of a finite float32 is finite in float64.
    if (!Number.isFinite(squares)) {
      counts.rows++;
      for (const value of row) {
        if (Number.isNaN(value)) counts.nan++;
        else if (!Number.isFinite(value)) counts.infinite++;
      }
      return;
    }
    norms[finite++] = Math.sqrt(squares);
    let most = 0;
    for (let j = 0; j < width; j++) {
      const value = row[j]!;
      const magnitude = Math.abs(value);
      sums[j]! += magnitude;
      if (value < low[j]!) low[j] = value;
      if (value > high[j]!) high[j] = value;
      if (magnitude > most) most = magnitude;
    }
    if (most > largest) largest = most;
    if (most > massive.magnitude) countMassive(row);
  };

  let values = new Float32Array(0);
  for await (const { first, rows: count, numbers } of source.layerBlocks(layer)) {
    hashes.add(first, numbers, width);
    if (values.length < numbers.length) values = new Float32Array(numbers.length);
    widenNumbers(numbers, dtype, values);
    for (let row = 0; row < count; row++) visit(values.subarray(row * width, (row + 1) * width));
  }

  const means = sums.map((sum) => sum / finite);
  const medianMean = sortedQuantile(means.slice().sort(), 0.5);
  const dimensions = Array.from({ length: width }, (_, j) => j);
  const outliers = dimensions
    .filter((j) => finite > 0 && means[j]! > outlierFactor * medianMean)
    .sort((a, b) => means[b]! - means[a]!);
  const constant = finite < 2 ? [] : dimensions.filter((j) => low[j] === high[j]);
  const massiveDimensions = dimensions
    .filter((j) => massiveOf[j]! > 0)
    .sort((a, b) => massiveOf[b]! - massiveOf[a]!);
  return {
    layer,
    norms: summarise(norms.subarray(0, finite)),
    nonFinite: { rows: counts.rows, nan: counts.nan, infinite: counts.infinite },
    meanMagnitude:
      finite === 0 ? null : { median: medianMean, max: means.reduce((a, b) => Math.max(a, b), 0) },
    outliers: {
      count: outliers.length,
      dimensions: outliers.slice(0, mostListed).map((dimension) => ({
        dimension,
        meanMagnitude: means[dimension]!,
        ratio: ratio(means[dimension]!, medianMean),
      })),
    },
    massive: {
      count: counts.massive,
      rows: counts.massiveRows,
      largest: finite === 0 ? null : largest,
      dimensions: massiveDimensions
        .slice(0, mostListed)
        .map((dimension) => ({ dimension, count: massiveOf[dimension]! })),
    },
    constant: { count: constant.length, dimensions: constant.slice(0, mostListed) },
  };
}

/** Null where the median dimension is always zero. */
function ratio(mean: number, median: number): number | null {
  return median === 0 ? null : mean / median;
}
