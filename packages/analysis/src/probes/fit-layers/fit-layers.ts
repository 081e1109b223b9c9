import { availableParallelism } from "node:os";
import { onBackend } from "../../backend/use-backend.ts";
import type { ProbeFit } from "../probe.ts";
import { checkDataset } from "../check-dataset.ts";
import { refuseOtherLayer } from "../checked-reads.ts";
import { fitLayer, type FittedDataset } from "./fit-layer.ts";
import { checkFitLayers, type FitLayersOptions } from "./fit-layers-options.ts";

/** The fits of a layer: `[C][column]`. */
export interface LayerFits {
  readonly layer: number;
  readonly fits: ProbeFit[][];
}

/**
 * Fits many columns (folds, label shuffles, bootstrap draws) at every C of a probe on each layer: the fits themselves, of which
 * `sweepLayers` makes scores. Layers come in their order; no more than one a worker is in memory. Fits that did not converge say so
 * (`converged`). Throws InvalidRequestError, ProbeError (`bad_option`, `bad_label`, …), and the reason of `signal` when it is aborted.
 */
export async function* fitLayers(
  dataset: FittedDataset,
  options: FitLayersOptions,
): AsyncGenerator<LayerFits> {
  checkDataset(dataset, "fitLayers", ["rows", "hiddenSize", "layers", "layer"]);
  const {
    probe,
    columns,
    layers = dataset.layers,
    workers: asked,
    signal,
  } = checkFitLayers(options, dataset.rows);
  for (const layer of layers) refuseOtherLayer(dataset, layer);
  const fitOne = (layer: number) =>
    onBackend(() => fitLayer(dataset, { layer, probe, columns, asked, layers: layers.length, signal }));
  const lanes = asked ?? availableParallelism();
  const under: { layer: number; fits: Promise<ProbeFit[][]> }[] = [];
  const waiting = layers.values();
  const start = () => {
    const next = waiting.next();
    if (next.done) return;
    const fits = fitOne(next.value);
    // Whoever takes it hears of its failure; one that is never taken must not end the process.
    fits.catch(() => undefined);
    under.push({ layer: next.value, fits });
  };
  for (let lane = 0; lane < Math.max(1, lanes); lane++) start();
  try {
    for (let first = under.shift(); first; first = under.shift()) {
      signal?.throwIfAborted();
      const fits = await first.fits;
      start();
      yield { layer: first.layer, fits };
    }
  } finally {
    await Promise.allSettled(under.map(({ fits }) => fits));
  }
}
