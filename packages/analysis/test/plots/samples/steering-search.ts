import type { SteeringSearch } from "../../../src/results/steering-search.ts";
import { sampleSteering } from "../../report/report-sample.ts";
import { sampleEstimate, undefinedEstimate } from "./sample-estimate.ts";

const all: [number, number] = [-100, 100];

export function sampleSteeringSearch(
  layers = [2, 3, 4, 5],
  scales = [-2, -1, -0.5, 0.5, 1, 2, 4],
): SteeringSearch {
  const gain = (layer: number, scale: number): number => scale * 1.4 * Math.exp(-((layer - 4) ** 2) / 3);
  const damage = (scale: number): string[] => (scale >= 4 ? ["perplexity ×6.20, over ×2"] : []);
  const winner = { layer: layers[2] ?? layers[0]!, scale: 2 };
  return {
    schemaVersion: 1,
    kind: "steering-search",
    model: "residua/tiny",
    objective: { metric: "net shift of the target, nats", aim: "raise" },
    directions: layers.map((layer) => ({ layer, norm: 4 + layer / 10, method: "difference of means" })),
    scales,
    limits: { perplexityRatio: 2, valid: 0.9, looping: null, kl: null },
    seed: 0,
    random: "xoshiro128**",
    draws: 1000,
    n: 80,
    groups: 40,
    split: { choose: { n: 40, groups: 20 }, estimate: { n: 40, groups: 20 } },
    cells: layers.flatMap((layer) =>
      scales
        .filter((scale) => layer !== layers[0] || scale <= 2)
        .map((scale) => ({
          layer,
          scale,
          gain:
            layer === layers[1] && scale === -2
              ? undefinedEstimate("no control token")
              : sampleEstimate(gain(layer, scale), 0.4, { n: 40, groups: 20 }, all),
          damage: damage(scale),
          perplexityRatio: 1 + scale ** 2 / 3,
          kl: null,
        })),
    ),
    stopped: [{ layer: layers[0]!, scale: 2, damage: ["valid answers 70.0%, under 90%"], untried: [4] }],
    winner: {
      ...winner,
      chosenGain: sampleEstimate(2.8, 0.4, { n: 40, groups: 20 }, all),
      gain: sampleEstimate(2.61, 0.44, { n: 40, groups: 20 }, all),
      measured: sampleSteering().scales[0]!,
    },
    twins: {
      metric: "net shift of the target, nats",
      direction: 2.61,
      twins: sampleEstimate(0.21, 0.1, { n: 20 }, all),
      largest: 0.6,
      asLarge: 0,
      p: 0.0476,
    },
    verdict: "Shown.",
    notes: [],
  };
}
