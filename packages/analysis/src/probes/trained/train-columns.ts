import type { Probe, ProbeColumn } from "../probe.ts";
import { probeMatrix } from "../probe-matrix.ts";
import { linearScorerData } from "./linear-scorer.ts";
import type { TrainedParts, TrainingData } from "./probe-trainer.ts";

/** Trains a probe by its fit: one column, or of several classes one for each against the rest. */
export async function trainColumns(
  probe: Probe,
  data: TrainingData,
  C: number | undefined,
): Promise<TrainedParts> {
  const { task, targets, classes, weights } = data;
  const training = { included: new Uint8Array(data.rows).fill(1) };
  const labelsOf: ArrayLike<number>[] =
    task === "number"
      ? [targets]
      : task === "binary"
        ? [Uint8Array.from(targets)]
        : classes!.map((_, k) => Uint8Array.from(targets, (target) => (target === k ? 1 : 0)));
  const columns = labelsOf.map((labels): ProbeColumn => ({ training, labels, ...(weights && { weights }) }));
  const matrix = probeMatrix(data.values, data.width);
  try {
    const fits = await probe.fitAt(matrix, columns, C);
    // Of several columns the one that is furthest from done.
    const worst = fits.reduce((a, b) => (b.gradientNorm > a.gradientNorm ? b : a));
    return {
      scorer: linearScorerData(
        fits.map((fit) => fit.weights),
        fits.map((fit) => fit.bias),
      ),
      C: C ?? null,
      converged: fits.every((fit) => fit.converged),
      iterations: Math.max(...fits.map((fit) => fit.iterations)),
      gradientNorm: worst.gradientNorm,
    };
  } finally {
    matrix.dispose();
  }
}
