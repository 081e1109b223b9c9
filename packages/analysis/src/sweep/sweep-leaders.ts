import { bestAt, bestOverall, type SweepCandidate } from "./sweep-candidates.ts";

/** The best candidates so far: only they are kept, so memory does not grow with the number of layers. */
export interface SweepLeaders {
  add(candidates: readonly SweepCandidate[]): void;
  /** For each outer fold the candidate that its inner folds chose; a fold without one is left out. */
  readonly choices: readonly SweepCandidate[];
  readonly best: SweepCandidate | undefined;
}

/** Layers may come in any order: of equal candidates the one of the layer that is listed first wins, as if they came in order. */
export function sweepLeaders(layers: readonly number[], folds: number): SweepLeaders {
  const leaders: (SweepCandidate | undefined)[] = new Array<undefined>(folds).fill(undefined);
  let best: SweepCandidate | undefined;
  const inOrder = (leader: SweepCandidate | undefined, candidates: readonly SweepCandidate[]) => {
    if (!leader) return candidates;
    const earlier = layers.indexOf(leader.layer) < layers.indexOf(candidates[0]?.layer ?? leader.layer);
    return earlier ? [leader, ...candidates] : [...candidates, leader];
  };
  return {
    add(candidates) {
      leaders.forEach((leader, i) => (leaders[i] = bestAt(inOrder(leader, candidates), i)));
      best = bestOverall(inOrder(best, candidates));
    },
    get choices() {
      return leaders.filter((leader) => leader !== undefined);
    },
    get best() {
      return best;
    },
  };
}
