import type { Direction } from "@residua/lens";

/** What scores rows of one layer or several: trained probes, saved directions, a dataset's mean difference. */
export interface Scorer {
  /** Stands in forms and addresses; unique in a run. */
  readonly id: string;
  readonly name: string;
  /** What a score is, in words. */
  readonly measures: string;
  /** Ascending. */
  readonly layers: readonly number[];
  /** What scores above and below the threshold speak for. */
  readonly above: string;
  readonly below: string;
  /** The rows of the run that it was made of, where the explorer made it: they look better than new ones. */
  readonly madeOf: { readonly place: string; readonly split: string | null } | null;
  /** Throws ProbeError, and ExplorerError `no_such_layer`. */
  at(layer: number): Promise<LayerScorer>;
}

/** A scorer at one of its layers. */
export interface LayerScorer {
  readonly layer: number;
  /** A file, or the rows that it was made of. */
  readonly origin: string;
  readonly width: number;
  /** The model whose rows it reads, where that is known. */
  readonly model: string | null;
  /** Where the two sides part; null where that is not known, and the mean of what is shown takes its place. */
  readonly threshold: number | null;
  /** Where the threshold comes from, in words. */
  readonly thresholdIs: string;
  /** `[rows, width]` to `[rows]`. Throws ProbeError. */
  score(values: Float32Array): Float64Array;
  /** What steering adds at scale 1; a text that says why where there is none. */
  readonly direction: Direction | string;
}

/** Of a scorer without a threshold. */
export const meanOfShown = "the mean of what is shown: this score alone does not say where its sides part";
