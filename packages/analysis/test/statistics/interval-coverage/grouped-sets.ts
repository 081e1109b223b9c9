import { normalCdf } from "../../../src/statistics/distributions/normal.ts";
import { createRandom } from "../../../src/statistics/random.ts";

/** How simulated sets are drawn: groups of unequal sizes whose rows share an effect. */
export interface Design {
  name: string;
  groups: number;
  /** Rows of a group: 1 to 20, equally likely, or exponential with mean 8 (a few groups hold many of the rows). */
  sizes: "uniform" | "exponential";
  /** Share of the scores' variance that the rows of a group have in common. */
  shared: number;
  /** Labels vary within groups; are constant in a group; or are 80 % of one class. */
  labels: "within" | "constant" | "leaning";
  /** How far positives lie above negatives, in standard deviations. */
  distance: number;
}

export interface SimulatedSet {
  scores: Float64Array;
  labels: Uint8Array;
  /** Each row's group. */
  unit: Uint32Array;
}

/** AUROC of two rows of different groups, which all but a few pairs are: Φ(distance / √2), since the variance of a score is 1. */
export function trueAuroc({ distance }: Design): number {
  return normalCdf(distance / Math.SQRT2);
}

/** Draws one set after the other. */
export function simulator(design: Design, seed: number): () => SimulatedSet {
  const random = createRandom(seed, `coverage ${design.name}`);
  const { groups, sizes, shared, labels: kind, distance } = design;
  return () => {
    const scores: number[] = [];
    const labels: number[] = [];
    const unit: number[] = [];
    for (let group = 0; group < groups; group++) {
      const size =
        sizes === "uniform" ? 1 + random.below(20) : 1 + Math.floor(-8 * Math.log(1 - random.uniform()));
      const effect = Math.sqrt(shared) * random.gaussian();
      // Equally many groups of each kind, so that no set lacks a class.
      const leans = group % 2 === 1;
      const share = kind === "within" ? 0.5 : kind === "constant" ? Number(leans) : leans ? 0.8 : 0.2;
      for (let i = 0; i < size; i++) {
        const label = random.uniform() < share ? 1 : 0;
        scores.push(distance * label + effect + Math.sqrt(1 - shared) * random.gaussian());
        labels.push(label);
        unit.push(group);
      }
    }
    return {
      scores: Float64Array.from(scores),
      labels: Uint8Array.from(labels),
      unit: Uint32Array.from(unit),
    };
  };
}
