import { readFileSync } from "node:fs";

/** Rows of float32, packed. */
interface PackedRows {
  rows: string;
  width: number;
  labels: number[];
}

interface Fixture {
  roc: {
    rows: Record<"group" | "labels" | "scores" | "strata" | "shifted", number[]>;
    /** False positives, true positives, threshold. */
    corners: [number, number, number | null][];
    auroc: number;
    stratified: number;
    rates: number[];
    measured: { draw: number[]; heights: number[]; averaged: number[] }[];
  };
  histogram: {
    scores: number[];
    labels: string[];
    found: { bins: number; edges: number[]; counts: Record<string, number[]> }[];
    given: { edges: number[]; inside: number; counts: number[] };
    means: Record<string, number>;
  };
  pca: (PackedRows & {
    points: [number, number][];
    variance: [number, number];
    ellipses: { mean: [number, number]; half: [number, number]; angle: number }[];
  })[];
  axes: (PackedRows & { train: number[]; values: number[]; points: number[][] })[];
}

/** Made by fixtures/views_of_results.py. */
export const fixture = JSON.parse(
  readFileSync(new URL("../../fixtures/views-of-results.json", import.meta.url), "utf8"),
) as Fixture;

/** `[rows, width]`. */
export function unpacked({ rows }: PackedRows): Float32Array {
  const bytes = Uint8Array.from(Buffer.from(rows, "base64"));
  return new Float32Array(bytes.buffer);
}
