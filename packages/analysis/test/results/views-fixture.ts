import { readFileSync } from "node:fs";

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
}

/** Made by fixtures/views_of_results.py. */
export const fixture = JSON.parse(
  readFileSync(new URL("../../fixtures/views-of-results.json", import.meta.url), "utf8"),
) as Fixture;
