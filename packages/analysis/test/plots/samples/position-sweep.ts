import type { PositionSweep } from "../../../src/results/position-sweep.ts";
import { sampleEstimate, undefinedEstimate } from "./sample-estimate.ts";

const tail = ["Europe", ".", "\n", "Verdict", ":"];

export function samplePositionSweep(depth = 6, count = 8): PositionSweep {
  const layers = Array.from({ length: depth }, (_, layer) => layer);
  const positions = Array.from({ length: count }, (_, index) => index - count);
  return {
    schemaVersion: 1,
    kind: "position-sweep",
    label: "truth",
    positive: true,
    group: "city",
    probe: "difference-of-means",
    score: "auroc",
    folds: 5,
    seed: 0,
    random: "xoshiro128**",
    draws: 1000,
    layers,
    from: "end",
    positions,
    cells: layers.flatMap((layer) =>
      positions.map((position) => {
        const known = 1 / (1 + Math.exp(-(position + 5.5)));
        const value = 0.5 + 0.49 * known * Math.min(1, layer / (0.6 * depth)) - (position < -6 ? 0.06 : 0);
        return {
          layer,
          position,
          token: position === -5 ? null : (tail[position + 5] ?? null),
          score:
            position === -count && layer === 0
              ? undefinedEstimate("the token is the same in all examples")
              : sampleEstimate(value, 0.05 * (1.05 - value), { n: 240, groups: 40 }),
        };
      }),
    ),
    n: 240,
    groups: 40,
    notes: [],
  };
}
