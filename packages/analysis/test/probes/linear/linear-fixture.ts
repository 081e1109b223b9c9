import { readFileSync } from "node:fs";

export interface LinearReference {
  weights: number[];
  bias: number;
  aurocTrain?: number;
  aurocHeldOut?: number;
}

export interface LinearCase {
  name: string;
  width: number;
  /** Rows 0 … train − 1 are fitted on. */
  train: number;
  values: string;
  labels: number[];
  classes: number[];
  target: number[];
  weights: number[];
  ridges: {
    lambda: number;
    plain: LinearReference;
    standardised: LinearReference;
    weighed: LinearReference;
    classifier: LinearReference;
  }[];
  lda: LinearReference;
  ldaFixed: LinearReference;
  ldaClasses: number[];
  shrinkage: number;
  pca: number[];
  centroids: number[];
  massMeanIid: LinearReference;
  distance: number[];
  linear?: LinearReference;
}

/** Made by fixtures/linear_probes.py. */
export const linearCases = (
  JSON.parse(readFileSync(new URL("../../../fixtures/linear-probes.json", import.meta.url), "utf8")) as {
    cases: LinearCase[];
  }
).cases;

export function linearValues(one: LinearCase): Float32Array {
  return new Float32Array(Uint8Array.from(Buffer.from(one.values, "base64")).buffer);
}
