import type { ProbeName } from "../../results/probe-name.ts";
import type { ScorerData } from "../../results/probe-scorer.ts";
import type { ProbeBias, ProbeTask } from "../../results/trained-probe.ts";
import type { LabelValue } from "../sweep-rows.ts";

/** The rows that a probe is trained on: all of them, in the dataset's order. */
export interface TrainingData {
  readonly task: ProbeTask;
  readonly rows: number;
  readonly width: number;
  /** `[rows, width]`, finite, in raw space. */
  readonly values: Float32Array;
  /** `[rows]`: 1 or 0 of two classes (1 = positive), the class's place in `classes`, or the number. */
  readonly targets: Float64Array;
  readonly classes: readonly LabelValue[] | null;
  /** How often each row is there, above 0; null: once each. */
  readonly weights: Float64Array | null;
  /** Number of each row's group (rows that must not be parted), from 0; null where none was given. */
  readonly groupOf: Uint32Array | null;
  /** Number of each row's example (one prompt), from 0; null where the rows do not tell. */
  readonly exampleOf: Uint32Array | null;
}

/** What training comes to. A fit that has not converged is refused by `trainProbe`. */
export interface TrainedParts {
  readonly scorer: ScorerData;
  readonly C: number | null;
  readonly converged: boolean;
  readonly iterations: number;
  readonly gradientNorm: number;
}

/** A probe that `trainProbe` can train though no sweep can take it: one that is not linear, or reads whole sequences. */
export interface ProbeTrainer {
  readonly name: ProbeName;
  /** "classes": of two or more classes. */
  readonly target: "classes" | "number";
  readonly formula: string;
  readonly bias: ProbeBias;
  /** Values of the strength that it can be trained at; null for a probe without one. */
  readonly C: readonly number[] | null;
  /** Runs on the chosen backend. `C`: one of `C`, undefined without one. */
  train(this: void, data: TrainingData, C: number | undefined): Promise<TrainedParts>;
}
