import type { SweptProbe } from "./swept-probe.ts";

/** A probe at its layer. */
export interface SweepLeader extends SweptProbe {
  layer: number;
}

/** The best probes so far: only they are kept, so memory does not grow with the number of layers. */
export interface SweepLeaders {
  add(probes: readonly SweepLeader[]): void;
  /** For each outer fold the probe that its inner folds chose; a fold without one is left out. */
  readonly choices: readonly SweepLeader[];
  readonly best: SweepLeader | undefined;
}

/** Layers may come in any order: of equal probes the one of the layer that is listed first wins, as if they came in order. */
export function sweepLeaders(layers: readonly number[], folds: number): SweepLeaders {
  const places = new Map(layers.map((layer, place) => [layer, place]));
  const leaders: (SweepLeader | undefined)[] = new Array<undefined>(folds).fill(undefined);
  let best: SweepLeader | undefined;
  const better = (
    leader: SweepLeader | undefined,
    other: SweepLeader,
    scoreOf: (probe: SweepLeader) => number,
  ): SweepLeader => {
    if (!leader) return other;
    const gain = scoreOf(other) - scoreOf(leader);
    const earlier = places.get(other.layer)! < places.get(leader.layer)!;
    return gain > 0 || (gain === 0 && earlier) ? other : leader;
  };
  return {
    add(probes) {
      for (const probe of probes) {
        leaders.forEach((leader, i) => (leaders[i] = better(leader, probe, (one) => one.choices[i]!.inner)));
        best = better(best, probe, (one) => one.best.inner);
      }
    },
    get choices() {
      return leaders.filter((leader) => leader !== undefined);
    },
    get best() {
      return best;
    },
  };
}
