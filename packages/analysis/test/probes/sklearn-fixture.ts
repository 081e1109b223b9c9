import { readFileSync } from "node:fs";

export interface SklearnCase {
  name: string;
  rows: number;
  width: number;
  train: number;
  values: string;
  labels: number[];
  fits: {
    C: number;
    objective: number;
    coef: number[];
    intercept: number;
    aurocTrain: number;
    aurocHeldOut: number;
  }[];
}

/** Made by fixtures/sklearn_probes.py. */
export const sklearnFixture = JSON.parse(
  readFileSync(new URL("../../fixtures/sklearn-probes.json", import.meta.url), "utf8"),
) as { cases: SklearnCase[]; tiedScores: { scores: number[]; labels: number[]; auroc: number } };

export function caseValues(one: SklearnCase): Float32Array {
  const bytes = Uint8Array.from(Buffer.from(one.values, "base64"));
  return new Float32Array(bytes.buffer);
}
