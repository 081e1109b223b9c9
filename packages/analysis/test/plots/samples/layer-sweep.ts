import type { LayerSweep, SweptLayer } from "../../../src/results/layer-sweep.ts";
import { sampleSweep } from "../../report/report-sample.ts";
import { undefinedEstimate } from "./sample-estimate.ts";

const probes = [
  "difference-of-means",
  "logistic",
  "lda",
  "linear-svm",
  "multinomial",
  "pca-of-differences",
  "mlp",
] as const;

/** As many layers as the deepest models have, seven probes. */
export function deepSweep(depth = 126): LayerSweep {
  const sweep = sampleSweep();
  const base = sweep.layers[3]!;
  return {
    ...sweep,
    layers: Array.from({ length: depth }, (_, layer): SweptLayer => ({
      ...base,
      layer,
      probes: probes.map((probe, index) => {
        const value = 0.5 + (0.49 - index / 50) * (1 - Math.exp(-layer / 20));
        return {
          ...base.probes[0]!,
          probe,
          score: { value, low: value - 0.03, high: Math.min(1, value + 0.03) },
        };
      }),
    })),
  };
}

/** Of numbers: R², of which random directions are far worse than a guess. */
export function numberSweep(): LayerSweep {
  const sweep = sampleSweep();
  return {
    ...sweep,
    task: "number",
    score: "r2",
    positive: null,
    layers: sweep.layers.map((entry) => ({
      ...entry,
      controls: { ...entry.controls, randomDirection: { value: -0.4, low: -7.5, high: 0.1 } },
    })),
  };
}

/** One layer of which hardly anything is defined. */
export function undefinedSweep(): LayerSweep {
  const sweep = sampleSweep();
  const none = undefinedEstimate("one class only in every fold that was scored");
  const rival = { score: none, gain: none, how: "nothing" };
  return {
    ...sweep,
    layers: sweep.layers.slice(3, 4).map((entry) => ({
      ...entry,
      probes: entry.probes.map((probe) => ({ ...probe, score: none })),
      controls: { shuffledLabels: none, randomDirection: none, controlTask: none, selectivity: none },
    })),
    chosen: {
      ...sweep.chosen,
      outerScore: none,
      permutation: { p: null, correctedP: null, shuffles: 20, reason: "no score" },
    },
    controls: {
      promptLength: rival,
      bagOfTokens: rival,
      floor: { ...rival, layer: null },
      randomFeatures: rival,
    },
    verdict: { finding: "undefined", text: "Undefined: no score." },
  };
}
